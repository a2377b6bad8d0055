#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds predicted step times against measured ones and prints the errors.

  tools/evaluate_step_time.py --horus build/release/bin/horus --data FOLDER

FOLDER holds batch_time_bs12.csv.gz: training batches of 12 images on six GPU types, made from the
results of ryujaehun/pytorch-gpu-benchmark (MIT). Every row of a model that `horus zoo` builds and
of a GPU that Horus knows counts, one GPU, float and half precision, no optimizer (the benchmark has
none). The predictor is not fitted to single rows; its efficiencies were rounded with a look at this
set (horus/predict/constants.hpp says which), so this is not an error on unseen data.
"""
import argparse
import collections
import csv
import gzip
import json
import pathlib
import statistics
import subprocess
import sys

MODELS = {"alexnet": "alexnet", "vgg16": "vgg16", "vgg19": "vgg19", "vgg11": "vgg11",
          "vgg16_bn": "vgg16-bn", "resnet18": "resnet18", "resnet34": "resnet34",
          "resnet50": "resnet50", "resnet101": "resnet101", "resnet152": "resnet152",
          "densenet121": "densenet121", "densenet161": "densenet161",
          "densenet169": "densenet169", "densenet201": "densenet201",
          "mobilenet_v2": "mobilenet-v2"}
GPUS = {"GeForce RTX 2080 Ti": "RTX2080Ti", "GeForce GTX 1080 Ti": "GTX1080Ti",
        "TITAN Xp": "TitanXp", "TITAN RTX": "TitanRTX", "TITAN V": "TitanV",
        "A100-SXM4-40GB": "A100-40GB"}
BATCH = 12


def precision_of(row):
    """The A100's float is TF32, the default of its PyTorch; half is a model cast as a whole."""
    if row["precision"] == "half":
        return "fp16"
    return "tf32" if row["gpu"].startswith("A100") else "fp32"


def measured_rows(folder):
    path = folder / "batch_time_bs12.csv.gz"
    with gzip.open(path, "rt", newline="") as file:
        for row in csv.DictReader(file):
            usable = (row["mode"] == "train" and row["n_gpus"] == "1"
                      and row["precision"] in ("float", "half")
                      and row["model"] in MODELS and row["gpu"] in GPUS)
            if usable:
                yield row


def predict(horus, model, gpu, precision):
    command = [horus, "predict", f"zoo:{model}", "--gpu", gpu, "--batch", str(BATCH),
               "--precision", precision, "--optimizer", "none", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["predictions"][0]["step_time_s"]


def summary(errors):
    absolute = [abs(error) for error, _ in errors]
    inside = sum(covered for _, covered in errors) / len(errors)
    return (f"{len(errors):5d}  {100 * statistics.mean(absolute):6.1f} %"
            f"  {100 * statistics.median(absolute):6.1f} %"
            f"  {100 * statistics.mean(error for error, _ in errors):+6.1f} %  {100 * inside:5.0f} %")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--horus", default="build/release/bin/horus")
    parser.add_argument("--data", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    if not (arguments.data / "batch_time_bs12.csv.gz").is_file():
        sys.exit(f"evaluate: {arguments.data} holds no batch_time_bs12.csv.gz")
    groups = collections.defaultdict(list)
    cache = {}
    for row in measured_rows(arguments.data):
        key = (MODELS[row["model"]], GPUS[row["gpu"]], precision_of(row))
        if key not in cache:
            cache[key] = predict(arguments.horus, *key)
        step, measured = cache[key], float(row["median_ms"]) / 1000
        error = (step["expected"] / measured - 1, step["low"] <= measured <= step["high"])
        for name in ("all", f"precision {key[2]}", f"GPU {key[1]}", f"model {key[0]}"):
            groups[name].append(error)
    print(f"{'group':22s}{'rows':>7s}  {'MAPE':>8s}  {'median':>8s}  {'bias':>8s}  {'in 80 %':>7s}")
    for name in sorted(groups, key=lambda n: (n != "all", n)):
        print(f"{name:22s}  {summary(groups[name])}")


if __name__ == "__main__":
    main()
