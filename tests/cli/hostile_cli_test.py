# SPDX-License-Identifier: Apache-2.0
"""The program in hostile hands: every failure is one clear line and an exit code, nothing hangs,
nothing crashes, and nothing of a foreign file reaches the terminal as a command."""
import fcntl
import gzip
import json
import os
import resource
import signal
import subprocess
import time
import unittest
import zlib

from harness import HORUS, CliTest, field, is_sanitized, model, node, tensor, value_info

CLUSTER = ("--cluster", "1x2xV100-16GB")
GENERATE = ("simulate", "--generate", "philly-like", *CLUSTER)
PHILLY = "timestamp,duration,num_gpus,gpu_time,cluster\n"
GOOD_ROW = "2017-10-09 00:00:00,50,1,50,b\n"
TIRESIAS = "job_id,num_gpu,submit_time,iterations,model_name,duration,interval\n"
MIX = ("name,model,batch,sequence,precision,optimizer,attention,samples_per_second,weight,"
       "true_utilization,true_memory_mib,true_compute_share\n")
MIX_ROW = ["a", "resnet18", "32", "", "fp32", "sgd", "", "", "1", "0.5", "2000", "0.5"]
ESCAPES = (b"\x1b[31m\x07\r\n\t\x00\x7f", b"\x9b31m", "\u009b31m\u202e".encode())
X, Y = [value_info("x", [1, 4])], [value_info("y", [1, 4])]
SECONDS_MAX = 10
MEMORY_MAX_MIB = 1000


class HostileTest(CliTest):
    """Every run is checked, whatever it answers."""

    def survives(self, *arguments, **options):
        start = time.monotonic()
        done = self.run_horus(*arguments, timeout=3 * SECONDS_MAX, **options)
        context = f"{[str(a)[:60] for a in arguments]}: exit {done.returncode}, " \
                  f"stderr {done.stderr[:300]!r}"
        self.assertIn(done.returncode, (0, 1, 2), context)
        self.assertLess(time.monotonic() - start, SECONDS_MAX, context)
        self.assertNotIn(b"internal error", done.stderr, context)
        for stream in (done.stdout, done.stderr):
            text = stream.decode()  # Strictly: what is no UTF-8 must not get out.
            # JSON is for programs: it escapes C0, as its standard says, and no more.
            beyond = not text.startswith("{")
            bad = [c for c in text if c != "\n" and
                   (ord(c) < 32 or beyond and (127 <= ord(c) < 160 or 0x202a <= ord(c) <= 0x202e))]
            self.assertEqual(bad, [], context)
        if done.returncode != 0:
            self.assertEqual(done.stdout, b"", context)
            self.assertRegex(done.stderr.decode(), r"\Ahorus: error: [^\n]+\n\Z", context)
        return done

    def fails(self, *arguments, code, says=(), **options):
        done = self.survives(*arguments, **options)
        self.assertEqual(done.returncode, code, done.stderr)
        for words in [says] if isinstance(says, str) else says:
            self.assertIn(words.encode(), done.stderr)

    def peak_mib(self, *arguments):
        """Runs in a child of its own and returns its largest resident size."""
        child = subprocess.Popen([HORUS, *arguments], cwd=self.folder, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL)
        _, _, usage = os.wait4(child.pid, 0)
        child.returncode = 0
        return usage.ru_maxrss / 1024


class Models(HostileTest):
    def inspect(self, content, *options):
        self.write("m.onnx", content)
        return self.survives("inspect", "m.onnx", *options)

    def test_names_never_command_the_terminal(self):
        for evil in (*ESCAPES, b"\xff\xfe\xc0\x80", b"A" * 1_000_000, b""):
            for spot in range(6):
                name, op, x, y, w, domain = [evil if i == spot else word for i, word in
                                             enumerate((b"n", b"MatMul", b"x", b"y", b"w", b"d"))]
                graph = (field(1, field(1, x) + field(1, w) + field(2, y) + field(3, name)
                               + field(4, op) + (field(7, domain) if spot == 5 else b""))
                         + field(5, field(1, 16) + field(1, 4) + field(2, 1) + field(8, w))
                         + field(11, field(1, x) + value_info("", [3, 16])[2:]))
                content = field(1, 8) + field(2, name) + field(7, graph) + field(8, field(2, 17))
                self.inspect(content)
                done = self.inspect(content, "--json")
                if done.returncode == 0:
                    json.loads(done.stdout)

    def test_every_truncation_and_every_flipped_bit(self):
        content = model([node("MatMul", ["x", "w"], ["y"], "n1")], [value_info("x", ["N", 16])],
                        [value_info("y", ["N", 4])], [tensor("w", [16, 4])])
        for size in range(0, len(content), 3):
            self.inspect(content[:size])
        for at in range(len(content)):
            flipped = bytearray(content)
            flipped[at] ^= 1 << at % 8
            self.inspect(bytes(flipped))

    def test_sizes_beyond_reason(self):
        for dims in ([0], [-1], [-1 << 63], [1 << 62] * 2, [1 << 31, 1 << 31, 0], [2] * 63,
                     [1] * 65, [(1 << 63) - 1], ["N", 1 << 60]):
            for op, inputs in (("Relu", 1), ("MatMul", 2), ("Conv", 2), ("Reshape", 2),
                               ("Concat", 2), ("Flatten", 1)):
                self.inspect(model([node(op, ["x"] * inputs, ["y"])], [value_info("x", dims)], Y),
                             "--batch", "1073741824")

    def test_graphs_that_are_none(self):
        relu = node("Relu", ["x"], ["y"])
        graphs = {
            "cyclic": [node("Relu", ["b"], ["a"]), node("Relu", ["a"], ["b"])],
            "feeds itself": [node("Relu", ["a"], ["a"])],
            "writes twice": [relu, relu],
            "without names": [node("", [""], [""])],
            "without ends": [node("Relu", [], [])],
            "wide": [node("Sum", [f"x{i}" for i in range(200_000)], ["y"])],
            "deep": [node("Relu", [f"a{i}"], [f"a{i + 1}"]) for i in range(50_000)],
            "reversed": [node("Relu", [f"a{i + 1}"], [f"a{i}"]) for i in range(50_000)],
        }
        for nodes in graphs.values():
            self.inspect(model(nodes, X, Y))
        for opset in (0, 1, 99, -1, 1 << 62):
            self.inspect(model([relu], X, Y, opset=opset))

    def test_nesting_ends_at_a_limit(self):
        body = field(1, node("Relu", ["x"], ["y"]))
        for _ in range(500):
            body = field(1, node("If", ["x"], ["y"])
                         + field(5, field(1, "then_branch") + field(20, 5) + field(6, body)))
        self.write("m.onnx", field(1, 8) + field(7, body))
        self.fails("inspect", "m.onnx", code=1, says="nested")
        kind = b""
        for _ in range(10_000):
            kind = field(4, field(1, kind))
        self.inspect(model([node("Relu", ["x"], ["y"])], [field(1, "x") + field(2, kind)], Y))

    def test_empty_parts_by_the_million_take_bounded_memory(self):
        self.write("m.onnx", field(1, 8) + field(7, field(1, b"") * 1_000_000))
        self.assertLess(self.peak_mib("inspect", "m.onnx"), MEMORY_MAX_MIB)
        self.write("m.onnx", field(1, 8) + field(7, field(1, b"") * 1_000_001))
        self.fails("inspect", "m.onnx", code=1, says="more than 1000000 nodes")

    def test_external_data_is_never_opened(self):
        weights = (field(1, 4) + field(1, 4) + field(2, 1) + field(8, "w") + field(14, 1)
                   + field(13, field(1, "location") + field(2, "../../../../etc/passwd"))
                   + field(13, field(1, "length") + field(2, "99999999999999999999")))
        done = self.inspect(model([node("MatMul", ["x", "w"], ["y"])], X, Y, [weights]))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn(b"root:", done.stdout)


class Tables(HostileTest):
    def trace(self, content, *options, form="philly"):
        self.write("t.csv", content)
        return self.survives("simulate", "--trace", "t.csv", "--format", form, *CLUSTER,
                             "--policy", "fifo", *options)

    def test_cells_that_are_no_numbers(self):
        for evil in ("nan", "-inf", "-1", "1e308", "1e309", "9223372036854775808", "0x10", "1,5",
                     '"5', '5"', "5\0", "\x1b[31m", "", "\u0665", "x" * 100_000):
            for column in range(4):
                cells = GOOD_ROW.strip().split(",")
                cells[column] = evil
                self.trace(PHILLY + GOOD_ROW + ",".join(cells) + "\n")
                done = self.trace(PHILLY + GOOD_ROW + ",".join(cells) + "\n", "--skip-bad-rows")
                self.assertEqual(done.returncode, 0, (evil, done.stderr))

    def test_files_that_are_no_tables(self):
        for content in (b"", b"\0" * 1000, b"\xef\xbb\xbf", (PHILLY + GOOD_ROW).encode("utf-16"),
                        PHILLY.encode(), PHILLY.encode() + b"a" * 20_000_000,
                        PHILLY.encode() + b'"' + b"a,\n" * 7_000_000,
                        PHILLY.encode() + b'"' * 20_000_001, b"," * 20_000_000,
                        PHILLY.encode() + b'"""\n' * 300_000):
            for options in ((), ("--skip-bad-rows",)):
                self.assertEqual(self.trace(content, *options).returncode, 1)
        for ends in ("\r\n", "\n"):
            text = "\ufeff" + (PHILLY + GOOD_ROW).replace("\n", ends)
            for content in (text, text.rstrip()):
                self.assertEqual(self.trace(content).returncode, 0)

    def test_times_that_add_up_to_more_than_time(self):
        self.write("t.csv", TIRESIAS + "".join(f"{i},1,0,1,m,100000000000,60\n"
                                               for i in range(100)))
        self.fails("simulate", "--trace", "t.csv", "--format", "tiresias", *CLUSTER, code=1,
                   says="later than time can be counted")
        self.write("t.csv", PHILLY + GOOD_ROW + "9999-12-31 23:59:59,5,1,5,a\n")
        self.fails("simulate", "--trace", "t.csv", "--format", "philly", *CLUSTER, code=1,
                   says="t.csv:3")

    def test_a_gzip_bomb_is_defused(self):
        packer = zlib.compressobj(9, zlib.DEFLATED, 31)
        bomb = packer.compress(PHILLY.encode())
        for _ in range(150):
            bomb += packer.compress(b"\n" * 2_000_000)
        bomb += packer.flush()
        self.write("t.csv", bomb)
        command = ("simulate", "--trace", "t.csv", "--format", "philly", *CLUSTER)
        self.fails(*command, code=1, says="gzip bomb")
        self.assertLess(self.peak_mib(*command), 300 * (4 if is_sanitized() else 1))

    def test_every_cut_and_damaged_gzip_is_refused(self):
        whole = gzip.compress((PHILLY + GOOD_ROW).encode(), mtime=0)
        for size in range(2, len(whole), 3):
            self.assertEqual(self.trace(whole[:size]).returncode, 1)
        self.assertEqual(self.trace(whole + b"\0garbage").returncode, 1)
        self.assertEqual(self.trace(gzip.compress(whole)).returncode, 1)

    def test_a_mix_of_nonsense(self):
        for evil in ("", "nan", "-1", "0", "1e308", "9223372036854775808", "\x1b[31m", "\0",
                     '"a\nb"', "x" * 1000):
            for column in range(len(MIX_ROW)):
                cells = [*MIX_ROW]
                cells[column] = evil
                self.write("mix.csv", MIX + ",".join(cells) + "\n")
                self.survives(*GENERATE, "--jobs", "3", "--mix", "mix.csv", "--policy", "fifo")

    def test_a_truth_table_of_foreign_gpus_is_read_in_time(self):
        header = "gpu,config_a,config_b,slowdown_a,slowdown_b\n"
        self.write("t.csv", header + ("V" * 60 + ",a,b,1.5,1.5\n") * 100_000)
        self.assertEqual(self.survives(*GENERATE, "--jobs", "3", "--truth-table", "t.csv",
                                       "--policy", "fifo").returncode, 0)
        self.write("t.csv", header + "V,a,b,1,1\n" * 1_000_001)
        self.fails(*GENERATE, "--jobs", "3", "--truth-table", "t.csv", code=1, says="more than")


class World(HostileTest):
    FILES = (("inspect", "F"), ("predict", "F", "--gpu", "T4"),
             ("predict", "zoo:resnet18", "--gpu", "T4", "--with", "F"),
             ("simulate", "--trace", "F", "--format", "philly", *CLUSTER),
             (*GENERATE, "--mix", "F"), (*GENERATE, "--truth-table", "F"))
    OUTPUTS = (("zoo", "resnet18", "-o", "F"), (*GENERATE, "--jobs", "3", "--events", "F"))

    @staticmethod
    def at(command, path):
        return tuple(path if word == "F" else word for word in command)

    def test_what_is_no_file_is_never_waited_for(self):
        os.mkfifo(self.folder / "pipe")
        os.symlink("loop", self.folder / "loop")
        for path in ("/dev/zero", "/dev/null", "/", "pipe", "loop", "no\x1b[31m\n/such", "x" * 5000):
            for command in self.FILES:
                self.assertNotEqual(self.survives(*self.at(command, path)).returncode, 0, path)
        for path in ("/", "pipe", "loop", "no\x1b[31m\n/such/file", "x" * 256, "/dev/full"):
            for command in self.OUTPUTS:
                self.assertNotEqual(self.survives(*self.at(command, path)).returncode, 0, path)
        self.assertEqual(sorted(os.listdir(self.folder)), ["loop", "pipe"])

    def test_an_output_keeps_what_is_not_its_own(self):
        (self.folder / "real").write_text("old")
        os.chmod(self.folder / "real", 0o600)
        os.symlink("real", self.folder / "link")
        self.survives("zoo", "resnet18", "-o", "link")
        self.assertTrue((self.folder / "link").is_symlink())
        self.assertEqual((self.folder / "real").stat().st_mode & 0o777, 0o600)
        self.assertGreater((self.folder / "real").stat().st_size, 1000)
        # A name like /dev/stdout: as root, a rename would replace it for the whole machine.
        os.symlink("/proc/self/fd/1", self.folder / "stdout")
        done = self.run_horus("zoo", "resnet18", "-o", "stdout")
        self.assertTrue((self.folder / "stdout").is_symlink())
        self.assertEqual(done.stdout, self.run_horus("zoo", "resnet18", "-o", "-").stdout)
        with open(self.folder / "log", "ab") as log:
            log.write(b"first\n")
            log.flush()
            subprocess.run([HORUS, "zoo", "resnet18", "-o", "stdout"], cwd=self.folder, stdout=log,
                           stderr=subprocess.DEVNULL, check=True)
        self.assertEqual((self.folder / "log").read_bytes(), b"first\n" + done.stdout)

    def test_closed_streams_never_end_up_in_a_file(self):
        script = f'"{HORUS}" {" ".join(GENERATE)} --jobs 50 --policy fifo --timing --events '
        subprocess.run(["bash", "-c", script + "plain.csv >/dev/null 2>&1; "
                        + script + "no_err.csv >/dev/null 2>&-; "
                        + script + "no_out.csv >&- 2>/dev/null; "
                        + script + "none.csv <&- >&- 2>&-"], cwd=self.folder, check=False)
        expected = (self.folder / "plain.csv").read_bytes()
        self.assertGreater(len(expected), 1000)
        for name in ("no_err.csv", "no_out.csv", "none.csv"):
            self.assertEqual((self.folder / name).read_bytes(), expected, name)
        done = subprocess.run(["bash", "-c", f'"{HORUS}" inspect zoo:resnet18 >&-'],
                              capture_output=True, check=False)
        self.assertEqual((done.returncode, done.stderr.count(b"\n")), (1, 1))

    def test_a_limit_on_files_leaves_nothing_behind(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
        self.fails("zoo", "bert-base", "-o", "b.onnx", code=1, says="File too large",
                   preexec_fn=limit)
        self.fails(*GENERATE, "--jobs", "500", "--events", "e.csv", code=1, says="File too large",
                   preexec_fn=limit)
        self.assertEqual(os.listdir(self.folder), [])

    def test_a_limit_on_memory_is_one_line(self):
        if is_sanitized():
            self.skipTest("the address sanitizer reserves more than any limit")

        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (150 << 20, 150 << 20))
        self.fails("simulate", "--generate", "philly-like", "--jobs", "5000000", *CLUSTER,
                   code=1, says="out of memory", preexec_fn=limit)

    def test_a_killed_run_leaves_no_half_file_under_the_name(self):
        command = [HORUS, *GENERATE, "--jobs", "20000", "--events", "e.csv"]
        for sign in (signal.SIGKILL, signal.SIGTERM):
            (self.folder / "e.csv").write_text("whole")
            child = subprocess.Popen(command, cwd=self.folder, stdout=subprocess.DEVNULL,
                                     stderr=subprocess.DEVNULL)
            while child.poll() is None and len(os.listdir(self.folder)) < 2:
                time.sleep(0.001)  # Until the file beside it is there.
            child.send_signal(sign)
            child.wait()
            self.assertEqual((self.folder / "e.csv").read_text(), "whole")
            for leftover in self.folder.glob(".horus-*"):
                leftover.unlink()

    def test_two_writers_leave_one_whole_file(self):
        def command(seed, name):
            return [HORUS, *GENERATE, "--jobs", "500", "--policy", "fifo", "--seed", seed,
                    "--events", name]
        writers = [subprocess.Popen(command(str(i % 2), "both.csv"), cwd=self.folder,
                                    stdout=subprocess.DEVNULL) for i in range(4)]
        for writer in writers:
            self.assertEqual(writer.wait(), 0)
        for seed in "01":
            self.ok(*command(seed, seed)[1:])
        self.assertIn((self.folder / "both.csv").read_bytes(),
                      [(self.folder / seed).read_bytes() for seed in "01"])
        self.assertEqual(sorted(os.listdir(self.folder)), ["0", "1", "both.csv"])

    def test_a_pipe_that_does_not_block_receives_everything(self):
        expected = self.ok("inspect", "zoo:densenet121", "--json").encode()
        reading, writing = os.pipe()
        os.set_blocking(writing, False)
        fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, 4096)  # Smaller than what comes.
        self.assertGreater(len(expected), 4096)
        child = subprocess.Popen([HORUS, "inspect", "zoo:densenet121", "--json"], stdout=writing,
                                 stderr=subprocess.DEVNULL)
        os.close(writing)
        received = b""
        while piece := os.read(reading, 65536):
            received += piece
        os.close(reading)
        self.assertEqual(child.wait(), 0)
        self.assertEqual(received, expected)

    def test_the_locale_changes_no_byte(self):
        command = (*GENERATE, "--jobs", "200", "--load", "1.5", "--json")
        plain = self.ok(*command)
        for locale in ("de_DE.UTF-8", "tr_TR.UTF-8", "C", "nonsense", ""):
            done = self.survives(*command, env={**os.environ, "LC_ALL": locale, "LANG": locale})
            self.assertEqual(done.stdout.decode(), plain, locale)
        self.assertEqual(self.survives("zoo", env={}).returncode, 0)


class CommandLine(HostileTest):
    def test_words_that_are_no_options(self):
        for words in (["\x1b[31m"], ["--\x1b[31m"], ["-\x07"], ["x" * 100_000], ["--"], [""],
                      ["inspect"], ["inspect", "x", "--bat\x1b"], ["completion", "\x1b[31m"],
                      ["predict", "zoo:\x1b[31m", "--gpu", "T4"],
                      ["predict", "zoo:resnet18", "--gpu", "\x1b[31m"],
                      ["predict", "zoo:resnet18", "--gpu", "T4", "--with", "zoo:resnet18@0"],
                      ["predict", "zoo:resnet18", "--gpu", "T4", "--samples-per-second", "nan"],
                      ["predict", "zoo:bert-base", "--gpu", "T4", "--dim", "\x1b=0"],
                      ["zoo", "\x1b[31m"], ["zoo", "resnet18", "--batch", "0"],
                      ["zoo", "bert-base", "--seq", "9223372036854775807"]):
            self.fails(*words, code=2)
        self.assertEqual(os.listdir(self.folder), [])

    def test_an_empty_value_is_not_taken_for_no_option(self):
        for words in (["zoo", ""], ["zoo", "resnet18", "-o", ""], ["zoo", "--family", ""],
                      ["zoo", "--format", ""], ["inspect", ""], ["inspect", "zoo:alexnet", ""],
                      ["inspect", "zoo:alexnet", "--plot", ""], ["inspect", "--plot=", "x.onnx"],
                      ["inspect", "zoo:alexnet", "--dim", ""], ["predict", "", "--gpu", "T4"],
                      ["predict", "zoo:alexnet", "--gpu", ""],
                      ["predict", "zoo:alexnet", "--gpu", "T4", "--with", ""],
                      ["predict", "zoo:alexnet", "--gpu", "T4", "--precision", ""],
                      ["completion", ""], [*GENERATE, "--events", ""], [*GENERATE, "--mix", ""],
                      [*GENERATE, "--policy", ""], [*GENERATE, "--truth", ""]):
            self.fails(*words, code=2)
        self.assertEqual(os.listdir(self.folder), [])

    def test_what_is_said_twice_is_not_guessed(self):
        for words in (["inspect", "zoo:gpt2", "--dim", "sequence=8", "--dim", "sequence=9"],
                      ["predict", "zoo:alexnet", "--gpu", "T4,T4"],
                      ["predict", "zoo:alexnet", "--gpu", "A100,A100-40GB"],
                      ["predict", "zoo:alexnet", "--list-gpus"],
                      [*GENERATE, "--policy", "fifo,fifo"],
                      [*GENERATE, "--truth", "gain=1,gain=2"]):
            self.fails(*words, code=2)

    def test_a_wrong_file_is_1_and_a_wrong_word_is_2(self):
        os.mkfifo(self.folder / "pipe")
        (self.folder / "bad").write_bytes(b"no model")
        for model, code in (("missing", 1), ("/", 1), ("pipe", 1), ("bad", 1), ("zoo:nothing", 2)):
            for words in (["inspect", model], ["inspect", model, "zoo:alexnet"],
                          ["inspect", "--diff", "zoo:alexnet", model],
                          ["predict", model, "--gpu", "T4"],
                          ["predict", "zoo:alexnet", "--gpu", "T4", "--with", model]):
                self.assertEqual(self.run_horus(*words).returncode, code, words)
        for path in ("/", "/proc/x", "no/such/x"):
            self.fails("inspect", "zoo:alexnet", "--plot", path, code=1)
            self.fails("zoo", "resnet18", "-o", path, code=1)

    def test_numbers_at_and_beyond_the_edge(self):
        for option, good, bad in (
                ("--seed", ("0", "9223372036854775807"), ("1.5", "x")),
                ("--load", ("1e-6", "1e6"), ("nan", "inf", "0", "1,5", "1e7")),
                ("--tolerance", ("1", "1e6"), ("nan", "0.99", "")),
                ("--max-residents", ("1", "16"), ("0", "17", "-1", "1.5")),
                ("--checkpoint", ("0.001", "1e11"), ("0", "nan", "1e12")),
                ("--oom-delay", ("0", "1e6"), ("-1", "nan", "1e7")),
                ("--truth", ("gain=0", "gain=100,others-exponent=0"),
                 ("gain=nan", "gain", "=1", "\x1b[31m=1", "gain=1e308"))):
            for value in good:
                self.assertEqual(self.survives(*GENERATE, "--jobs", "5", option, value).returncode,
                                 0, (option, value))
            for value in bad:
                self.fails(*GENERATE, "--jobs", "5", option, value, code=2)
        for cluster in ("", "0x1xT4", "-1x1xT4", "1x1xT4+", "1x1x", "1xT4", "2001x2000xT4",
                        "9223372036854775807x9223372036854775807xT4", "1x1xT\x1b4",
                        "1x1x" + "A" * 100_000):
            self.fails("simulate", "--generate", "philly-like", "--cluster", cluster, code=2)

    def test_everything_at_once(self):
        done = self.survives("simulate", "--generate", "philly-like", "--jobs", "1000", "--load",
                             "5", "--cluster", "2x4xV100-16GB+1x4xT4", "--max-residents", "16",
                             "--gangs", "shared", "--checkpoint", "60", "--truth",
                             "gain=100,own-exponent=0,sensitivity-spread=2,utilization-spread=5,"
                             "memory-spread=2,speed-spread=2")
        self.assertIn(done.returncode, (0, 1))


if __name__ == "__main__":
    unittest.main()
