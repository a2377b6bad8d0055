# SPDX-License-Identifier: Apache-2.0
"""horus inspect on what real exporters wrote: data/exports, one compressed file per network."""
import csv
import dataclasses
import gzip
import pathlib
import re
import unittest

from harness import CliTest

DATA = pathlib.Path(__file__).resolve().parents[2] / "data"
EXPORTS = DATA / "exports"
SCRIPT_1, SCRIPT_2, DYNAMO = ("torch-1.13-torchscript", "torch-2.15-torchscript",
                              "torch-2.15-dynamo")

# What a warning must say, by the trap it warns of.
OPEN = r"batch is open"
FOLDED = r"normalization seems to be folded"
FROZEN = r"constants? freezes? batch"
SHARED = r"used by several nodes"
MIXED = r"weights of several types: .*float32.*float16"
SPELLED = r"attention blocks are spelled out"
FUSED = r"attention blocks are one fused operator each"
NO_DROPOUT = r"no dropout in \d+ (attention blocks|wide layers)"
CONSTANTS = r"constants .* are not counted as parameters"
LOOP = r"the trips of 1 loops depend on data"
BRANCH = r"the costlier branch"


def linear(inputs, outputs):
    return inputs * outputs + outputs


# Parameters by hand. A gate of a recurrent layer has an input and a state matrix and two biases.
ENCODER_LAYER = linear(64, 3 * 64) + linear(64, 64) + linear(64, 128) + linear(128, 64) + 4 * 64
LSTM = 2 * (4 * 64 * (32 + 64 + 2) + 4 * 64 * (128 + 64 + 2)) + linear(128, 10)
GRU = 3 * 64 * (32 + 64 + 2) + linear(64, 10)
TIED = 1000 * 64 + 3 * 64 * (64 + 64 + 2)
MIXED_NET = (3 * 9 + 1) * 16 + (16 * 9 + 1) * 32 + linear(32, 10)

# Multiply-accumulates of one sample by hand.
ENCODER_MACS = 2 * (24 * 64 * (3 * 64 + 64 + 2 * 128) + 2 * 24 * 24 * 64)
LSTM_MACS = 20 * 2 * 4 * 64 * (32 + 64 + 128 + 64) + 128 * 10
GRU_MACS = 20 * 3 * 64 * (32 + 64) + 64 * 10
TIED_MACS = 16 * (3 * 64 * (64 + 64) + 64 * 1000)
MIXED_MACS = 32 * 32 * 3 * 9 * 16 + 16 * 16 * 16 * 9 * 32 + 32 * 10


@dataclasses.dataclass
class Export:
    """One file, and what is known about it from elsewhere.

    zoo: the architecture of 'horus zoo' that must have the same multiply-accumulates.
    macs: of one sample, where the zoo does not have it or has another form.
    parameters, beyond_published: in all, or what there is more (or less) than the published count.
    warns, warns_at_4: traps that must be warned of, at the file's batch and beside them at batch 4.
    """
    path: str
    zoo: str = ""
    macs: int = 0
    parameters: int = None
    beyond_published: int = 0
    buffers: int = 0
    warns: tuple = ()
    warns_at_4: tuple = ()
    dims: tuple = ()


def torchvision(producer, name, **more):
    """An export of a torchvision network, whose published figures are in data/published."""
    return Export(f"{producer}/{name}", zoo=more.pop("zoo", name.split("-")[0]), **more)


# Channels of all batch normalizations: folding leaves one bias where there were a weight and a
# bias. In DenseNet only those behind a convolution can be folded: the stem's and the second ones
# of its 58 layers.
RESNET18, RESNET50, MOBILENET_V2, MOBILENET_V3 = 4800, 26560, 17056, 12200
EFFICIENTNET_B0, REGNET_Y, SHUFFLENET, DENSENET_FOLDED = 21008, 13576, 8090, 64 + 58 * 128
DENSENET = 41824
# Each of 138 heads has a table of 169 relative positions; exports store the 49 x 49 it gathers.
SWIN_TABLES = 138 * (49 * 49 - 169)

TORCHVISION = [
    torchvision(SCRIPT_1, "resnet18-train-open", buffers=2 * RESNET18, warns=(OPEN,)),
    torchvision(SCRIPT_1, "resnet50-eval", beyond_published=-RESNET50, warns=(FOLDED,)),
    torchvision(SCRIPT_1, "resnet50-train-noparams", buffers=2 * RESNET50),
    torchvision(SCRIPT_1, "mobilenet_v2-eval-open", beyond_published=-MOBILENET_V2,
                warns=(OPEN, FOLDED)),
    torchvision(SCRIPT_1, "mobilenet_v3_large-train", buffers=2 * MOBILENET_V3),
    torchvision(SCRIPT_1, "efficientnet_b0-eval-open", beyond_published=-EFFICIENTNET_B0,
                warns=(OPEN, FOLDED)),
    torchvision(SCRIPT_1, "densenet121-eval", beyond_published=-DENSENET_FOLDED,
                buffers=2 * (DENSENET - DENSENET_FOLDED), warns=(FOLDED,)),
    torchvision(SCRIPT_1, "densenet121-train", buffers=2 * DENSENET),
    torchvision(SCRIPT_1, "googlenet-train", buffers=2 * 7280),
    torchvision(SCRIPT_1, "inception_v3-train", buffers=2 * 18112),
    torchvision(SCRIPT_1, "vgg11-eval", warns=(NO_DROPOUT,)),
    torchvision(SCRIPT_1, "squeezenet1_0-train"),
    torchvision(SCRIPT_1, "shufflenet_v2_x1_0-eval", beyond_published=-SHUFFLENET,
                warns=(FOLDED,), warns_at_4=(FROZEN,)),
    torchvision(SCRIPT_1, "mnasnet1_0-train-open", buffers=2 * 18960, warns=(OPEN,)),
    torchvision(SCRIPT_1, "regnet_y_400mf-train", buffers=2 * REGNET_Y),
    torchvision(SCRIPT_1, "convnext_tiny-eval-noparams"),
    torchvision(SCRIPT_1, "vit_b_16-eval", warns=(SPELLED, NO_DROPOUT),
                warns_at_4=(FROZEN,)),
    # This version leaves idle Dropout nodes in place.
    torchvision(SCRIPT_1, "swin_t-eval", beyond_published=SWIN_TABLES, warns=(SPELLED,),
                warns_at_4=(FROZEN,)),
    torchvision(SCRIPT_1, "resnet18-eval-functions", beyond_published=-RESNET18,
                warns=(FOLDED,)),
    torchvision(SCRIPT_2, "resnet50-train-open", buffers=2 * RESNET50, warns=(OPEN,)),
    torchvision(SCRIPT_2, "shufflenet_v2_x1_0-train", buffers=2 * SHUFFLENET, warns_at_4=(FROZEN,)),
    torchvision(SCRIPT_2, "swin_t-eval-open", beyond_published=SWIN_TABLES,
                warns=(OPEN, SPELLED, NO_DROPOUT)),
    torchvision(SCRIPT_2, "vit_b_16-train", warns=(SPELLED,), warns_at_4=(FROZEN,)),
    torchvision(SCRIPT_2, "convnext_tiny-eval"),
    torchvision(DYNAMO, "resnet18-eval", beyond_published=-RESNET18, warns=(FOLDED,),
                warns_at_4=(FROZEN,)),
    # Folded biases of zero are dropped: each normalization loses its weight and its bias.
    torchvision(DYNAMO, "resnet18-eval-fresh", beyond_published=-2 * RESNET18, warns=(FOLDED,),
                warns_at_4=(FROZEN,)),
    # This exporter folds even in training mode; only optimize=False keeps it from that.
    torchvision(DYNAMO, "resnet18-train", beyond_published=-RESNET18, warns=(FOLDED,),
                warns_at_4=(FROZEN,)),
    torchvision(DYNAMO, "resnet18-train-unoptimized", buffers=2 * RESNET18, warns_at_4=(FROZEN,)),
    torchvision(DYNAMO, "resnet50-eval-unoptimized", buffers=2 * RESNET50, warns_at_4=(FROZEN,)),
    torchvision(DYNAMO, "mobilenet_v3_large-eval-open", beyond_published=-MOBILENET_V3,
                warns=(OPEN, FOLDED)),
    torchvision(DYNAMO, "efficientnet_b0-eval", beyond_published=-EFFICIENTNET_B0,
                warns=(FOLDED,), warns_at_4=(FROZEN,)),
    torchvision(DYNAMO, "densenet121-eval", beyond_published=-DENSENET_FOLDED,
                buffers=2 * (DENSENET - DENSENET_FOLDED), warns=(FOLDED,), warns_at_4=(FROZEN,)),
    torchvision(DYNAMO, "regnet_y_400mf-eval", beyond_published=-REGNET_Y,
                warns=(FOLDED,), warns_at_4=(FROZEN,)),
    torchvision(DYNAMO, "shufflenet_v2_x1_0-eval-open", beyond_published=-SHUFFLENET,
                warns=(OPEN, FOLDED)),
    torchvision(DYNAMO, "convnext_tiny-eval", warns_at_4=(FROZEN,)),
    torchvision(DYNAMO, "vit_b_16-eval-open", warns=(OPEN, SPELLED, NO_DROPOUT)),
    # The class token was expanded to the batch of 2 and stored.
    torchvision(DYNAMO, "vit_b_16-eval-opset23", beyond_published=768, warns=(FUSED,),
                warns_at_4=(FROZEN,)),
    torchvision(DYNAMO, "swin_t-eval", beyond_published=SWIN_TABLES,
                warns=(SPELLED, NO_DROPOUT, CONSTANTS), warns_at_4=(FROZEN,)),
]

SMALL = [
    Export(f"{SCRIPT_1}/lstm-eval", macs=LSTM_MACS, parameters=LSTM, warns_at_4=(FROZEN,)),
    Export(f"{DYNAMO}/lstm-eval", macs=LSTM_MACS, parameters=LSTM, warns_at_4=(FROZEN,)),
    Export(f"{SCRIPT_1}/gru-eval-open", macs=GRU_MACS, parameters=GRU, warns=(OPEN,)),
    Export(f"{DYNAMO}/gru-eval", macs=GRU_MACS, parameters=GRU, warns_at_4=(FROZEN,)),
    Export(f"{SCRIPT_1}/transformer_encoder-train", macs=ENCODER_MACS,
           parameters=2 * ENCODER_LAYER, warns=(SPELLED,), warns_at_4=(FROZEN,)),
    Export(f"{SCRIPT_1}/transformer_encoder-eval-functions", macs=ENCODER_MACS,
           parameters=2 * ENCODER_LAYER, warns=(SPELLED, NO_DROPOUT), warns_at_4=(FROZEN,)),
    # Both layers start equal, so do some vectors of 64 in a layer: three of zeros, two of ones.
    Export(f"{SCRIPT_1}/transformer_encoder-eval-fresh", macs=ENCODER_MACS,
           parameters=ENCODER_LAYER - 3 * 64, warns=(SPELLED, NO_DROPOUT, SHARED),
           warns_at_4=(FROZEN,)),
    Export(f"{SCRIPT_2}/transformer_encoder-eval", macs=ENCODER_MACS,
           parameters=2 * ENCODER_LAYER, warns=(SPELLED, NO_DROPOUT), warns_at_4=(FROZEN,)),
    Export(f"{DYNAMO}/transformer_encoder-eval", macs=ENCODER_MACS,
           parameters=2 * ENCODER_LAYER, warns=(SPELLED, NO_DROPOUT), warns_at_4=(FROZEN,)),
    Export(f"{SCRIPT_1}/tied_language_model-train", macs=TIED_MACS, parameters=TIED,
           warns=(SHARED,), warns_at_4=(FROZEN,)),
    # Constant folding stored the transposed embedding as a second tensor: the tie is gone.
    Export(f"{SCRIPT_1}/tied_language_model-eval", macs=TIED_MACS, parameters=TIED + 64 * 1000,
           warns_at_4=(FROZEN,)),
    Export(f"{DYNAMO}/tied_language_model-eval", macs=TIED_MACS, parameters=TIED, warns=(SHARED,),
           warns_at_4=(FROZEN,)),
    Export(f"{SCRIPT_2}/mixed_precision-eval", macs=MIXED_MACS, parameters=MIXED_NET,
           warns=(MIXED,)),
    Export(f"{DYNAMO}/mixed_precision-eval", macs=MIXED_MACS, parameters=MIXED_NET, warns=(MIXED,)),
    # One trip of the loop with its branch taken; how many there are is an input.
    Export(f"{SCRIPT_1}/greedy_decoder-eval", macs=2 * 32 * 32, parameters=2 * linear(32, 32),
           warns=(LOOP, BRANCH)),
    Export(f"{SCRIPT_2}/greedy_decoder-eval", macs=2 * 32 * 32, parameters=2 * linear(32, 32),
           warns=(LOOP, BRANCH)),
]

# Multiply-accumulates of PP-OCRv4 from the shapes that ONNX Runtime 1.32 has for all intermediate
# values when it runs the original files: kernel volume for each output pixel, and so on. Their
# parameters are the elements of the constants of convolutions, batch normalizations (scale and
# shift), products and their biases.
# Those of Silero VAD by hand, from its layers: Fourier transform as 258 kernels of 256 samples in
# 4 frames, encoder, one LSTM step of 128, decoder; at 8 kHz 130 kernels of 128 in 8 frames.
SILERO_STEP = 512 * (128 + 128) + 128
SILERO_16K = (258 * 256 * 4 + 128 * 129 * 3 * 4 + 64 * 128 * 3 * 2 + 64 * 64 * 3 + 128 * 64 * 3
              + SILERO_STEP)
SILERO_8K = (130 * 128 * 8 + 128 * 65 * 3 * 8 + 64 * 128 * 3 * 4 + 64 * 64 * 3 * 2
             + 128 * 64 * 3 * 2 + SILERO_STEP)
SILERO_LAYERS = ((64 * 128 + 64 * 64) * 3 + 2 * 64 + 128 * 64 * 3 + 128
                 + 512 * (128 + 128) + 2 * 512 + linear(128, 1))
SILERO_16K_PARAMETERS = 258 * 256 + (129 * 3 + 1) * 128 + SILERO_LAYERS
SILERO_8K_PARAMETERS = 130 * 128 + (65 * 3 + 1) * 128 + SILERO_LAYERS
OCR_SIZE = "p2o.DynamicDimension"
FOREIGN = [
    Export("paddle2onnx/ch_PP-OCRv4_det_infer", macs=2301935744, parameters=1171488, warns=(OPEN,),
           dims=(f"{OCR_SIZE}.1=640", f"{OCR_SIZE}.2=640")),
    Export("paddle2onnx/ch_PP-OCRv4_rec_infer", macs=702469440, parameters=2688397,
           warns=(OPEN, SPELLED, NO_DROPOUT), dims=(f"{OCR_SIZE}.1=320",)),
    Export("paddle2onnx/ch_ppocr_mobile_v2.0_cls_infer", macs=16315376, parameters=129356,
           warns=(OPEN,), dims=(f"{OCR_SIZE}.1=48", f"{OCR_SIZE}.2=192")),
    Export("silero_vad/silero_vad_16k_op15", macs=SILERO_16K, parameters=SILERO_16K_PARAMETERS,
           warns=(OPEN,), dims=("sequence=576",)),
    Export("silero_vad/silero_vad_half", macs=SILERO_16K, parameters=SILERO_16K_PARAMETERS,
           warns=(OPEN,), dims=("sequence=576",)),
    # Both branches fit 576 samples; that of 8 kHz costs more to train.
    Export("silero_vad/silero_vad_op18_ifless", macs=SILERO_8K,
           parameters=SILERO_16K_PARAMETERS + SILERO_8K_PARAMETERS, warns=(OPEN, BRANCH),
           dims=("sequence=576",)),
    Export("silero_vad/silero_vad", macs=SILERO_16K,
           parameters=SILERO_16K_PARAMETERS + SILERO_8K_PARAMETERS, warns=(OPEN, BRANCH),
           dims=("input:1=576", "state:1=1")),
]


def published():
    with open(DATA / "published" / "torchvision.csv", newline="", encoding="utf-8") as file:
        return {row["model"]: int(row["parameters"]) for row in csv.DictReader(file)}


class ExportCase(CliTest):
    def inspect(self, export, *options):
        name = export.path.replace("/", "_") + ".onnx"
        if not (self.folder / name).exists():
            self.write(name, gzip.decompress((EXPORTS / f"{export.path}.onnx.gz").read_bytes()))
        sizes = [word for dim in export.dims for word in ("--dim", dim)]
        report = self.ok_json("inspect", name, *sizes, *options)
        gaps = [f"{gap['op_type']} {gap['name']}: {gap['reason']}"
                for gap in report["nodes_without_cost"]]
        self.assertEqual(gaps[:3], [], f"{len(gaps)} nodes without cost")
        return report

    def check_batches(self, export, macs_of_one):
        one, four = (self.inspect(export, "--batch", str(batch)) for batch in (1, 4))
        self.assertEqual(one["macs"], macs_of_one)
        self.assertEqual(four["macs"], 4 * macs_of_one)
        self.assertEqual(four["parameters"], one["parameters"])
        # Masks and tables are made once, whatever the batch.
        self.assertLessEqual(four["activation_bytes"], 4 * one["activation_bytes"])
        self.assertGreaterEqual(four["activation_bytes"], 3.9 * one["activation_bytes"])
        return four

    def check_warnings(self, report, expected):
        """Exactly the traps that are there: a warning without cause is a fault too."""
        for warning in report["warnings"]:
            self.assertTrue(any(re.search(trap, warning) for trap in expected),
                            f"unexpected: {warning}")
        for trap in expected:
            self.assertTrue(any(re.search(trap, warning) for warning in report["warnings"]),
                            f"none says {trap}: {report['warnings']}")

    def check(self, export, macs_of_one):
        report = self.inspect(export)
        four = self.check_batches(export, macs_of_one)
        self.check_warnings(report, export.warns)
        self.check_warnings(four, [trap for trap in export.warns if trap != OPEN]
                            + list(export.warns_at_4))


class Torchvision(ExportCase):
    def zoo_macs(self, name):
        return self.ok_json("inspect", f"zoo:{name}", "--batch", "1")["macs"]

    def test_exports_have_the_costs_of_the_zoo_and_the_published_parameters(self):
        parameters = published()
        for export in TORCHVISION:
            with self.subTest(export.path):
                report = self.inspect(export)
                self.assertEqual(report["parameters"],
                                 parameters[export.zoo] + export.beyond_published)
                self.assertEqual(report["buffers"], export.buffers)
                self.check(export, self.zoo_macs(export.zoo))

    def test_graph_only_exports_have_one_data_input(self):
        for export in TORCHVISION:
            if "noparams" in export.path:
                with self.subTest(export.path):
                    names = [one["name"] for one in self.inspect(export)["inputs"]]
                    self.assertEqual(names, ["input"])


class SmallNetworks(ExportCase):
    def test_exports_have_the_costs_that_a_hand_counts(self):
        for export in SMALL:
            with self.subTest(export.path):
                self.assertEqual(self.inspect(export)["parameters"], export.parameters)
                self.check(export, export.macs)


class ForeignNetworks(ExportCase):
    def test_published_files_have_the_costs_of_a_run(self):
        for export in FOREIGN:
            with self.subTest(export.path):
                report = self.inspect(export)
                self.assertEqual((report["macs"], report["parameters"]),
                                 (export.macs, export.parameters))
                self.check_warnings(report, export.warns)

    def test_published_files_scale_with_the_batch(self):
        for export in FOREIGN:
            if "silero_vad/silero_vad" == export.path:
                continue  # Its state carries the batch on an axis without a name.
            with self.subTest(export.path):
                self.check_batches(export, export.macs)


class Folder(unittest.TestCase):
    def test_every_file_is_in_a_table(self):
        files = {str(path.relative_to(EXPORTS))[:-len(".onnx.gz")]
                 for path in EXPORTS.glob("*/*.onnx.gz")}
        self.assertEqual(files, {export.path for export in TORCHVISION + SMALL + FOREIGN})


if __name__ == "__main__":
    unittest.main()
