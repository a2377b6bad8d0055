#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Judges the predictions of Horus on every measured data set that is there.

  tools/evaluate.py --horus build/release/bin/horus --data ../shared/data --out build/evaluate

Writes one JSON file per data set (horus evaluate --json), and with --tables FILE.md all figures as
tables. A data set is there if its folder lies in --data; what is missing is said and skipped.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import time

# Data set, folder, options, name of the result.
RUNS = [
    ("gpumemnet-cnn", "gpumemnet", (), "gpumemnet-cnn"),
    ("gpumemnet-mlp", "gpumemnet", (), "gpumemnet-mlp"),
    ("lucid", "lucid", (), "lucid"),
    ("lucid", "lucid", ("--no-loader-rates", "--protocol", "lomo"), "lucid-no-loader-rates"),
    ("gpumemnet-timm", "gpumemnet", (), "gpumemnet-timm"),
    ("pgb", "pytorch_gpu_benchmark", (), "pgb"),
    ("timm", "timm", (), "timm"),
    ("gavel", "gavel", (), "gavel"),
    ("gpumemnet-real", "gpumemnet", (), "gpumemnet-real"),
]

TITLES = {
    "rmsle_utilization_percent": "utilization, RMSLE of percent",
    "mae_utilization_points": "utilization, mean error, points",
    "coverage_utilization_percent": "utilization, within 80 % interval, %",
    "mae_bandwidth_points": "bandwidth, mean error, points",
    "mae_sm_active_points": "SM activity, mean error, points",
    "mape_step_percent": "step time, mean error, %",
    "coverage_step_percent": "step time, within 80 % interval, %",
    "mape_memory_percent": "memory, mean error, %",
    "coverage_memory_percent": "memory, within 80 % interval, %",
    "bound_violations": "memory above its 95 % bound, %",
    "bound_violations_10pct": "bound more than 10 % too low, %",
    "bound_excess_mean_percent": "bound, mean excess, %",
    "oom_recall": "out of memory foreseen, %",
    "oom_refused_good": "good runs refused, %",
    "oom_recall_bound": "out of memory foreseen by the bound, %",
    "oom_refused_good_bound": "good runs refused by the bound, %",
    "slowdown_mape_percent": "slowdown, mean error, %",
    "coverage_slowdown_percent": "slowdown, within 80 % interval, %",
    "good_pair_auc": "good pairs told from bad, AUC",
    "pack_rule_good": "packed pairs that are good, %",
    "pack_rule_share": "pairs that are packed, %",
    "mae_pair_utilization_points": "utilization of pairs, mean error, points",
    "mape_pair_memory_percent": "memory of pairs, mean error, %",
}


def command_of(horus, data, run):
    dataset, folder, options, _ = run
    return [horus, "evaluate", "--dataset", dataset, "--path", str(data / folder), "--json",
            *options]


def evaluate(horus, data, out, run):
    """Runs one evaluation; returns its name, seconds and complaint."""
    start = time.monotonic()
    done = subprocess.run(command_of(horus, data, run), capture_output=True, check=False,
                          env={**os.environ, "OMP_NUM_THREADS": "1"})
    if done.returncode == 0:
        (out / f"{run[3]}.json").write_bytes(done.stdout)
    error = "" if done.returncode == 0 else done.stderr.decode(errors="replace").strip()
    return run[3], time.monotonic() - start, error


def number(value, key):
    has_unit = key not in ("rmsle_utilization_percent", "good_pair_auc")
    return f"{value:.1f}" if has_unit else f"{value:.3f}"


def cell(protocol, key):
    value = protocol.get(key)
    if value is None:
        return "-"
    low, high = protocol.get(key + "_low"), protocol.get(key + "_high")
    text = number(value, key)
    return text if low is None else f"{text} [{number(low, key)}, {number(high, key)}]"


def table(report):
    """The figures of one data set as Markdown: a column per protocol."""
    protocols = report.get("protocols") or {report["protocol"]: report}
    run = {name: entry for name, entry in protocols.items() if "skipped" not in entry}
    lines = ["| figure | " + " | ".join(run) + " |", "|---|" + "---:|" * len(run)]
    for title, key in (("rows", "n_rows"), ("models", "n_models"), ("families", "n_families"),
                       ("pairs", "n_pairs")):
        lines.append(f"| {title} | " + " | ".join(f"{e[key]:,}" for e in run.values()) + " |")
    for key, title in TITLES.items():
        cells = [cell(entry, key) for entry in run.values()]
        if any(text != "-" for text in cells):
            lines.append(f"| {title} | " + " | ".join(cells) + " |")
    lines += ["", f"Without an architecture: {report['unmapped_rows']} rows."]
    lines += [f"Skipped: {name}, {entry['skipped']}." for name, entry in protocols.items()
              if "skipped" in entry]
    return lines


def tables(out, runs):
    lines = ["# Predictions against measurements", "",
             "Written by `make evaluate`. [low, high]: the middle 95 % when models are drawn "
             "again. Protocols and", "figures: [prediction.md](prediction.md).", ""]
    for dataset, folder, options, name in runs:
        path = out / f"{name}.json"
        if not path.exists():
            continue
        words = " ".join(["horus evaluate --dataset", dataset, f"--path data/{folder}", *options])
        lines += [f"## {name}", "", f"`{words}`", ""]
        lines += table(json.loads(path.read_text(encoding="utf-8"))) + [""]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--horus", default="build/release/bin/horus")
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("build/evaluate"))
    parser.add_argument("--tables", type=pathlib.Path, help="Markdown file to write")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    runs = [run for run in RUNS if (arguments.data / run[1]).is_dir()]
    for run in RUNS:
        if run not in runs:
            print(f"{run[3]}: no folder {arguments.data / run[1]}, skipped", file=sys.stderr)
    if not runs:
        sys.exit(f"evaluate: found no data set in {arguments.data}")
    arguments.out.mkdir(parents=True, exist_ok=True)
    failed = False
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        tasks = [pool.submit(evaluate, arguments.horus, arguments.data, arguments.out, run)
                 for run in runs]
        for task in concurrent.futures.as_completed(tasks):
            name, seconds, error = task.result()
            failed = failed or bool(error)
            print(f"{name}: {error or 'done'} ({seconds:.0f} s)", file=sys.stderr, flush=True)
    if arguments.tables:
        arguments.tables.write_text(tables(arguments.out, runs), encoding="utf-8")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
