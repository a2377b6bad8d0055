#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Exports networks to ONNX as users do, and keeps the graphs without their weights.

    make_exports.py --out data/exports            every recipe of the installed PyTorch
    make_exports.py --out data/exports --only vit  those whose name contains "vit"

Needs torch and torchvision. What is exported depends on the version, since each exporter has its
own habits: PyTorch 1.x has the TorchScript exporter, PyTorch 2.x has that and the one of
torch.export ("dynamo", which needs onnx and onnxscript too). Each goes to a folder of its own:

    apt-get install python3-torch python3-torchvision     Debian 12: torch-1.13-torchscript
    pip install torch torchvision onnx onnxscript         torch-2.x-torchscript, torch-2.x-dynamo

Weights are random and are dropped (strip_weights.py), so nothing is downloaded.
"""
import argparse
import dataclasses
import pathlib
import tempfile
import traceback
from typing import Callable, Optional

import torch
import torchvision

import networks
from strip_weights import write_stripped

TRAIN, EVAL = torch.onnx.TrainingMode.TRAINING, torch.onnx.TrainingMode.EVAL
VISION = torchvision.models


@dataclasses.dataclass
class Recipe:
    """One file. `shape` is that of the input, with the batch in front."""
    name: str
    make: Callable[[], torch.nn.Module]
    shape: tuple
    mode: torch.onnx.TrainingMode = EVAL
    opset: int = 13
    open_batch: bool = False          # A named batch axis instead of the example's size.
    options: Optional[dict] = None    # Further arguments of torch.onnx.export.
    tokens: int = 0                   # Inputs are token ids below this number.
    scripted: bool = False            # torch.jit.script first: loops and branches stay.
    fresh: bool = False               # Weights as constructed: many are equal, many are zero.


def image(batch, side=224):
    return (batch, 3, side, side)


def inception_v3():
    """With the auxiliary classifier, which only the training form runs."""
    return VISION.inception_v3(weights=None, init_weights=False, aux_logits=True)


def googlenet():
    """Without its auxiliary classifiers: the exporters refuse their pooling of 14 to 4 pixels."""
    return VISION.googlenet(weights=None, init_weights=False, aux_logits=False)


NO_PARAMETERS = {"export_params": False}

# The exporter of Debian 12's PyTorch.
TORCHSCRIPT_1 = [
    Recipe("resnet18-train-open", VISION.resnet18, image(2), TRAIN, open_batch=True),
    Recipe("resnet50-eval", VISION.resnet50, image(1)),
    Recipe("resnet50-train-noparams", VISION.resnet50, image(8), TRAIN, options=NO_PARAMETERS),
    Recipe("mobilenet_v2-eval-open", VISION.mobilenet_v2, image(2), open_batch=True),
    Recipe("mobilenet_v3_large-train", VISION.mobilenet_v3_large, image(2), TRAIN, opset=14),
    Recipe("efficientnet_b0-eval-open", VISION.efficientnet_b0, image(2), open_batch=True),
    Recipe("densenet121-eval", VISION.densenet121, image(1), opset=11),
    Recipe("densenet121-train", VISION.densenet121, image(2), TRAIN, opset=11),
    Recipe("googlenet-train", googlenet, image(2), TRAIN),
    Recipe("inception_v3-train", inception_v3, image(2, 299), TRAIN),
    Recipe("vgg11-eval", VISION.vgg11, image(1), opset=9),
    Recipe("squeezenet1_0-train", VISION.squeezenet1_0, image(2), TRAIN),
    Recipe("shufflenet_v2_x1_0-eval", VISION.shufflenet_v2_x1_0, image(2)),
    Recipe("mnasnet1_0-train-open", VISION.mnasnet1_0, image(2), TRAIN, open_batch=True),
    Recipe("regnet_y_400mf-train", VISION.regnet_y_400mf, image(2), TRAIN),
    Recipe("convnext_tiny-eval-noparams", VISION.convnext_tiny, image(1), options=NO_PARAMETERS),
    Recipe("vit_b_16-eval", VISION.vit_b_16, image(1), opset=14),
    Recipe("swin_t-eval", VISION.swin_t, image(1), opset=16),
    Recipe("lstm-eval", networks.LstmClassifier, (3, 20, 32)),
    Recipe("gru-eval-open", networks.GruClassifier, (3, 20, 32), open_batch=True),
    Recipe("transformer_encoder-train", networks.transformer_encoder, (3, 24, 64), TRAIN),
    Recipe("transformer_encoder-eval-fresh", networks.transformer_encoder, (3, 24, 64), fresh=True),
    Recipe("tied_language_model-train", networks.TiedLanguageModel, (3, 16), TRAIN, tokens=1000,
           options={"do_constant_folding": False}),
    Recipe("tied_language_model-eval", networks.TiedLanguageModel, (3, 16), tokens=1000),
    Recipe("greedy_decoder-eval", networks.GreedyDecoder, (3, 32), scripted=True),
    Recipe("resnet18-eval-functions", VISION.resnet18, image(2), opset=15,
           options={"export_modules_as_functions": True}),
    Recipe("transformer_encoder-eval-functions", networks.transformer_encoder, (3, 24, 64),
           opset=15, options={"export_modules_as_functions": True}),
]

# The same exporter ten versions later: other constant folding, other names.
TORCHSCRIPT_2 = [
    Recipe("resnet50-train-open", VISION.resnet50, image(2), TRAIN, opset=17, open_batch=True),
    Recipe("shufflenet_v2_x1_0-train", VISION.shufflenet_v2_x1_0, image(2), TRAIN, opset=17),
    Recipe("swin_t-eval-open", VISION.swin_t, image(2), opset=17, open_batch=True),
    Recipe("vit_b_16-train", VISION.vit_b_16, image(2), TRAIN, opset=17),
    Recipe("convnext_tiny-eval", VISION.convnext_tiny, image(2), opset=17),
    Recipe("transformer_encoder-eval", networks.transformer_encoder, (3, 24, 64), opset=17),
    Recipe("mixed_precision-eval", networks.MixedPrecision, image(2, 32), opset=17),
    Recipe("greedy_decoder-eval", networks.GreedyDecoder, (3, 32), opset=17, scripted=True),
]

# The exporter of torch.export.
DYNAMO = [
    Recipe("resnet18-eval", VISION.resnet18, image(1), opset=18),
    Recipe("resnet18-eval-fresh", VISION.resnet18, image(1), opset=18, fresh=True),
    Recipe("resnet50-eval-unoptimized", VISION.resnet50, image(2), opset=18,
           options={"optimize": False}),
    Recipe("resnet18-train", VISION.resnet18, image(2), TRAIN, opset=18),
    Recipe("resnet18-train-unoptimized", VISION.resnet18, image(2), TRAIN, opset=18,
           options={"optimize": False}),
    Recipe("mobilenet_v3_large-eval-open", VISION.mobilenet_v3_large, image(2), opset=20,
           open_batch=True),
    Recipe("efficientnet_b0-eval", VISION.efficientnet_b0, image(2), opset=18),
    Recipe("densenet121-eval", VISION.densenet121, image(2), opset=18),
    Recipe("regnet_y_400mf-eval", VISION.regnet_y_400mf, image(2), opset=18),
    Recipe("shufflenet_v2_x1_0-eval-open", VISION.shufflenet_v2_x1_0, image(2), opset=18,
           open_batch=True),
    Recipe("convnext_tiny-eval", VISION.convnext_tiny, image(2), opset=20),
    Recipe("vit_b_16-eval-open", VISION.vit_b_16, image(2), opset=18, open_batch=True),
    Recipe("vit_b_16-eval-opset23", VISION.vit_b_16, image(2), opset=23),
    Recipe("swin_t-eval", VISION.swin_t, image(2), opset=18),
    Recipe("lstm-eval", networks.LstmClassifier, (3, 20, 32), opset=18),
    Recipe("gru-eval", networks.GruClassifier, (3, 20, 32), opset=18),
    Recipe("transformer_encoder-eval", networks.transformer_encoder, (3, 24, 64), opset=18),
    Recipe("tied_language_model-eval", networks.TiedLanguageModel, (3, 16), opset=18, tokens=1000),
    Recipe("mixed_precision-eval", networks.MixedPrecision, image(2, 32), opset=18),
]


def with_distinct_weights(model):
    """As after training: exporters merge tensors that are equal and drop biases that are zero, and
    a fresh network is full of both."""
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.normal_(std=0.02)
        for name, buffer in model.named_buffers():
            if name.endswith("running_var"):
                buffer.uniform_(0.5, 1.5)
            elif name.endswith("running_mean"):
                buffer.normal_()
    return model


def example_of(recipe):
    if recipe.tokens:
        return (torch.randint(recipe.tokens, recipe.shape),)
    inputs = (torch.randn(recipe.shape),)
    return (*inputs, torch.tensor(5)) if recipe.scripted else inputs


def exported(recipe, path_options, folder):
    """The bytes of the ONNX file that the exporter writes; weights that it stores beside go."""
    torch.manual_seed(0)
    model = recipe.make() if recipe.fresh else with_distinct_weights(recipe.make())
    model.train(recipe.mode == TRAIN)
    if recipe.scripted:
        model = torch.jit.script(model)
    options = {"opset_version": recipe.opset, "input_names": ["input"], **path_options,
               **(recipe.options or {})}
    if recipe.scripted:
        options["input_names"] = ["state", "steps"]
    if options.get("dynamo"):
        if recipe.open_batch:
            options["dynamic_shapes"] = ({0: torch.export.Dim("batch")},)
    else:
        options |= {"training": recipe.mode}
        if recipe.mode == TRAIN:
            options.setdefault("do_constant_folding", False)
        if recipe.open_batch:
            options["dynamic_axes"] = {"input": {0: "batch"}}
    path = pathlib.Path(folder) / "network.onnx"
    torch.onnx.export(model, example_of(recipe), str(path), **options)
    return path.read_bytes()


def run(recipes, folder, path_options, only):
    failures = []
    for recipe in recipes:
        if only not in recipe.name:
            continue
        target = folder / f"{recipe.name}.onnx.gz"
        try:
            with tempfile.TemporaryDirectory() as scratch:
                size = write_stripped(exported(recipe, path_options, scratch), target)
            print(f"{target}: {size} bytes, {target.stat().st_size} compressed", flush=True)
        except Exception:  # pylint: disable=broad-except  # One network must not stop the others.
            traceback.print_exc()
            failures.append(recipe.name)
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--only", default="", help="a part of the names of recipes")
    parser.add_argument("--exporter", choices=("torchscript", "dynamo"), help="default: all")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    major, minor = torch.__version__.split(".")[:2]
    plans = [("torchscript", TORCHSCRIPT_1, {})]
    if int(major) >= 2:
        plans = [("torchscript", TORCHSCRIPT_2, {"dynamo": False}),
                 ("dynamo", DYNAMO, {"dynamo": True, "verbose": False})]
    failures = []
    for exporter, recipes, path_options in plans:
        if arguments.exporter in (None, exporter):
            folder = arguments.out / f"torch-{major}.{minor}-{exporter}"
            failures += run(recipes, folder, path_options, arguments.only)
    if failures:
        raise SystemExit(f"not exported: {', '.join(failures)}")


if __name__ == "__main__":
    main()
