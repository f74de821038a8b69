"""cfd's benchmarks as ReFrame checks: a run passes when its program says that its result is the known one.

    reframe -C run-scripts/reframe/settings.py -c run-scripts/reframe/cfd_checks.py -n 'airfoil' -r

The settings are those of one machine with mpirun; a site has its own. CFD names the program (default: the one in
target/release, or cfd where the search path has it).
"""

import os
import shutil
from pathlib import Path

import reframe as rfm
import reframe.utility.sanity as sn
from reframe.core.builtins import parameter, performance_function, run_after, run_before, sanity_function, variable

# Names that the program knows (`cfd info --benchmarks`), by what they cost.
SMALL = ["airfoil-small", "airfoil-converged", "aero-small", "mgcfd-small", "heat", "lulesh", "adaptation-metrics"]
LARGE = ["airfoil", "aero", "mgcfd-proxy", "adaptation-front"]

BUILT = Path(__file__).resolve().parents[2] / "target/release/cfd"


def program() -> str:
    """The program that is run."""
    named = os.environ.get("CFD")
    if named:
        return str(Path(named).resolve())
    return str(BUILT) if BUILT.is_file() or not shutil.which("cfd") else "cfd"


class Benchmark(rfm.RunOnlyRegressionTest):
    """A benchmark of a known result on so many ranks of so many threads."""

    ranks = parameter([1, 2])
    threads = variable(int, value=1)
    valid_systems = ["*"]
    valid_prog_environs = ["*"]

    @run_after("init")
    def describe(self):
        self.descr = f"cfd: {self.benchmark} on {self.ranks} ranks"
        self.executable = program()
        self.executable_opts = ["--config", self.benchmark, "--threads", str(self.threads), "--progress", "never"]
        self.executable_opts += ["--set", "output.pictures=false", "--out", "out"]

    @run_before("run")
    def divide(self):
        self.num_tasks = self.ranks
        self.num_cpus_per_task = self.threads

    @sanity_function
    def has_the_known_result(self):
        """All bits, says the program; without the words it is no run of the benchmark."""
        return sn.assert_found(r"reference\s+matched", self.stdout)

    @performance_function("million/s")
    def figure_of_merit(self):
        return sn.extractsingle(r"figure of merit +(\S+) million", self.stdout, 1, float)

    @performance_function("s")
    def iterations_s(self):
        return sn.extractsingle(r"time +.*iterations (\S+) s", self.stdout, 1, float)


@rfm.simple_test
class SmallBenchmark(Benchmark):
    """Seconds each."""

    benchmark = parameter(SMALL)
    tags = {"small"}
    time_limit = "10m"


@rfm.simple_test
class LargeBenchmark(Benchmark):
    """A minute each, or some."""

    benchmark = parameter(LARGE)
    tags = {"large"}
    time_limit = "1h"
