# UNTESTED: written from Spack's documentation, where no Spack could be had. Say what goes wrong.
#   spack repo add run-scripts/spack
#   spack dev-build cfd@main          # in the root of a checkout
"""Spack's recipe of cfd."""

from spack.package import *


class Cfd(Package):
    """Flows on unstructured meshes, with the same bits on any number of ranks, threads and devices."""

    license("Apache-2.0 OR MIT")
    version("main")

    variant("mpi", default=True, description="Several ranks")
    variant("cuda", default=False, description="NVIDIA GPUs, whose driver and compiler are found when the program runs")

    depends_on("rust@1.90:", type="build")
    depends_on("llvm +clang", type="build")  # libclang, for the bindings of MPI
    depends_on("pkgconfig", type="build")
    depends_on("c", type="build")  # METIS' sources
    depends_on("mpi", when="+mpi")
    depends_on("hdf5@1.10: +mpi", when="+mpi")
    depends_on("hdf5@1.10: ~mpi", when="~mpi")

    def setup_build_environment(self, env):
        """Where HDF5 and MPI are; what the program says that it was built from."""
        env.set("HDF5_DIR", self.spec["hdf5"].prefix)
        env.set("LIBCLANG_PATH", self.spec["llvm"].prefix.lib)
        env.set("CFD_COMMIT", str(self.spec.version))
        if self.spec.satisfies("+mpi"):
            env.set("MPICC", self.spec["mpi"].mpicc)

    def install(self, spec, prefix):
        """Builds the program, its completions and manual pages."""
        features = (["mpio"] if spec.satisfies("+mpi") else []) + (["cuda"] if spec.satisfies("+cuda") else [])
        options = ["--no-default-features", "--features", ",".join(features)] if features else ["--no-default-features"]
        which("cargo", required=True)("install", "--locked", "--root", prefix, "--path", ".", *options)
        cfd = Executable(prefix.bin.cfd)
        completions = join_path(prefix.share, "bash-completion", "completions")
        mkdirp(prefix.share.man.man1, completions)
        cfd("man", prefix.share.man.man1)
        with open(join_path(completions, "cfd"), "w") as file:
            file.write(cfd("completions", "bash", output=str))
