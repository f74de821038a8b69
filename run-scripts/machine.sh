# shellcheck shell=bash
# shellcheck disable=SC2034 # the variables are for the scripts that source this file
# What the scripts know about a machine: its packages, MPI, HDF5, and whether the crates are at hand.
# To be sourced in the root of the repository.

build_packages=(gcc libc6-dev pkg-config libclang-dev openmpi-bin libopenmpi-dev libhdf5-openmpi-dev)
# Serial HDF5 for the build without MPI; h5py, which reads our files; a Python of our own for packages that Debian has
# not; kill, which ends ranks; MPICH, which must give the bits of Open MPI; a C++ compiler, for the emulated device; a
# Fortran compiler, for exact sums in Fortran; PT-Scotch, which the program looks for when it runs; CMake, which
# must find our libraries for C.
test_packages=(libhdf5-dev python3-h5py python3-venv procps mpich libmpich-dev g++ gfortran libptscotch-dev cmake)

say() {
    printf '\n== %s\n' "$*"
}

fail() {
    printf '%s\n' "$*" >&2
    exit 1
}

# Begins a stage, and ends the previous one; print_stages prints the time of each.
stage() {
    end_stage
    stage_name=$1 stage_began=$SECONDS
    say "$1"
}

end_stage() {
    if [ -n "${stage_name:-}" ]; then
        stage_times+=("$(printf '%5d s  %s' $((SECONDS - stage_began)) "$stage_name")")
    fi
    stage_name=
}

print_stages() {
    end_stage
    printf '\n'
    printf '%s\n' "${stage_times[@]}" "$(printf '%5d s  in all' "$SECONDS")"
}

# Runs cargo test, and remembers what it counts for print_counts.
cargo_test() {
    counted=${counted:-$(mktemp)}
    cargo test --locked "$@" | tee -a "$counted"
}

print_counts() {
    awk '/^test result: / { p += $4; f += $6; i += $8 } END { printf "\n%d passed; %d failed; %d ignored\n", p, f, i }' "$counted"
    rm -f "$counted"
}

# Installs those of the named Debian packages that are missing; elsewhere prints what to install.
install_packages() {
    if ! command -v apt-get >/dev/null; then
        case "$(uname -s)" in
        Darwin) echo "Needed: brew install pkg-config llvm open-mpi hdf5-mpi" ;;
        *) echo "Needed, on Fedora: dnf install gcc pkgconf clang-devel openmpi-devel hdf5-openmpi-devel hdf5-devel python3-h5py (then: module load mpi)" ;;
        esac
        echo "Continuing with what is there."
        return
    fi
    local package missing=()
    for package in "$@"; do
        if [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" != installed ]; then
            missing+=("$package")
        fi
    done
    if [ ${#missing[@]} -eq 0 ]; then
        echo "Nothing to install: $* are installed."
        return
    fi
    local root=()
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null ||
            fail "Missing: ${missing[*]}. As root: apt-get install ${missing[*]}"
        root=(sudo)
    fi
    echo "Installing with apt-get: ${missing[*]}"
    "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -qq
    "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends "${missing[@]}" >/dev/null
}

# The directory of HDF5's headers, as the build will find it.
hdf5_include() {
    if [ -n "${HDF5_DIR:-}" ]; then
        echo "$HDF5_DIR/include"
    else
        pkg-config --cflags-only-I hdf5 2>/dev/null | tr ' ' '\n' | sed -n 's/^-I//p' | head -n 1
    fi
}

# The directory of Debian's serial HDF5, empty elsewhere.
serial_hdf5_dir() {
    pkg-config --libs-only-L hdf5-serial 2>/dev/null | tr ' ' '\n' | sed -n 's/^-L//p' | head -n 1
}

# Sets `features` and `workspace` (arguments for cargo: for the program, and for all crates) and `ranks` (for an example run)
# to what MPI and HDF5 allow.
choose_features() {
    if ! command -v mpicc >/dev/null || ! command -v mpirun >/dev/null; then
        features=(--no-default-features --features cuda)
        workspace=(--workspace --exclude cfd-mpi --no-default-features --features cuda)
        ranks=1
        echo "No MPI (mpicc, mpirun): building for one rank."
        return
    fi
    ranks=2
    if grep -qs '#define H5_HAVE_PARALLEL 1' "$(hdf5_include)"/H5pubconf*.h; then
        features=(--features mpio)
        echo "MPI, and an HDF5 built for it: collective files."
    else
        features=()
        echo "MPI, and a serial HDF5: files are written rank by rank."
    fi
    workspace=(--workspace "${features[@]}")
}

# Needs no network if all crates are here, and fetches them otherwise.
fetch_crates() {
    command -v cargo >/dev/null || fail "No cargo. Install Rust first: https://rustup.rs"
    local host
    host=$(rustc -vV | sed -n 's/^host: //p')
    if cargo fetch --quiet --locked --offline --target "$host" 2>/dev/null; then
        export CARGO_NET_OFFLINE=true
    else
        cargo fetch --quiet --locked --target "$host" ||
            fail "The crates of Cargo.lock are not here and cannot be fetched."
    fi
}

# What is built from: the commit, with "-dirty" where files have changed since; nothing where there is no repository.
commit() {
    git describe --always --dirty --abbrev=40 --exclude '*' 2>/dev/null || true
}

# Open MPI refuses to start as root unless told twice; the copy between processes that it prefers is forbidden
# in many containers. The directory of its sessions is kept: jobs that start while another one removes it fail.
allow_mpi_here() {
    if [ "$(id -u)" -eq 0 ]; then
        export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    fi
    export OMPI_MCA_btl_vader_single_copy_mechanism=none
    mkdir -p "${TMPDIR:-/tmp}/ompi.$(uname -n | cut -d. -f1).$(id -u)/kept"
}

# Prints the name of a Fortran compiler that MPI's wrapper can use.
fortran_compiler() {
    local name
    for name in gfortran gfortran-14 gfortran-13 gfortran-12; do
        if OMPI_FC=$name MPICH_FC=$name mpifort --version >/dev/null 2>&1; then
            echo "$name"
            return
        fi
    done
    return 1
}

# Sets `python` to a Python that has these packages of PyPI beside Debian's, in the target directory.
choose_python() {
    local here="${CARGO_TARGET_DIR:-target}/python" debian=/usr/bin/python3
    [ -x "$debian" ] || debian=python3
    python="$here/bin/python"
    [ -x "$python" ] || "$debian" -m venv --system-site-packages "$here"
    "$python" -m pip install --quiet --disable-pip-version-check "$@"
}

# Has the tests fail without PT-Scotch, where it could be installed.
require_ptscotch() {
    if command -v apt-get >/dev/null; then
        export CFD_REQUIRE_PTSCOTCH=1
    fi
}

# Makes NVRTC, the compiler of loops for GPUs, known to the tests: that of the Python wheel.
find_nvrtc() {
    choose_python nvidia-cuda-nvrtc-cu12==12.9.86
    local folder
    folder=$("$python" -c 'import nvidia.cuda_nvrtc; print(nvidia.cuda_nvrtc.__path__[0])')/lib
    export LD_LIBRARY_PATH="$folder${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
    export CFD_REQUIRE_NVRTC=1
}
