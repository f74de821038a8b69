# shellcheck shell=bash
# Builds a library for C and installs it with what pkg-config and CMake read. exact-sum/build and same-math/build source it,
# in the folder of their crate.

# Sets `prefix` to the one argument, a folder that is made; without one, prints what the calling script says of itself.
take_prefix() {
    if [ $# -ne 1 ] || [ "${1#-}" != "$1" ]; then
        awk 'NR > 1 { if (!sub(/^# ?/, "")) exit; print }' "$0" >&2
        exit 2
    fi
    mkdir -p "$1"
    prefix=$(cd "$1" && pwd)
}

# install_library LIBRARY DESCRIPTION: the package is LIBRARY with hyphens and -c. More lines of the .pc file are in
# `pkg_config_lines`, those of CMake's file in `cmake_lines`.
install_library() {
    local library=$1 description=$2 package target version shared built name
    package=${library//_/-}-c
    target=$(cargo metadata --format-version 1 --no-deps --locked | sed 's/.*"target_directory":"\([^"]*\)".*/\1/')
    version=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' ../Cargo.toml)

    # Programs remember a shared library by the name that it has for itself.
    if [ "$(uname -s)" = Darwin ]; then
        shared=lib$library.dylib built=lib${library}_c.dylib
        name=-Wl,-install_name,$prefix/lib/$shared
    else
        shared=lib$library.so built=lib${library}_c.so
        name=-Wl,-soname,$shared.0
    fi
    # Optimised as a whole and without debug information, the static library is an eighth of its usual size.
    local lean=(--config 'profile.release.lto="fat"' --config profile.release.codegen-units=1
        --config profile.release.debug=false)
    cargo rustc --quiet --release --locked "${lean[@]}" --package "$package" --lib --crate-type staticlib,cdylib \
        -- -C link-arg="$name" -C strip=debuginfo

    mkdir -p "$prefix"/{include,lib/pkgconfig,"lib/cmake/$library"}
    cp "$target/release/lib${library}_c.a" "$prefix/lib/lib$library.a"
    ! command -v strip >/dev/null || strip -S "$prefix/lib/lib$library.a"
    if [ "$shared" = "lib$library.so" ]; then
        cp "$target/release/$built" "$prefix/lib/$shared.0"
        ln -sf "$shared.0" "$prefix/lib/$shared"
    else
        cp "$target/release/$built" "$prefix/lib/$shared"
    fi
    cat >"$prefix/lib/pkgconfig/$library.pc" <<END
prefix=$prefix
${pkg_config_lines:-}
Name: $library
Description: $description
Version: $version
Cflags: -I\${prefix}/include
Libs: -L\${prefix}/lib -l$library
Libs.private: -lpthread -ldl -lm
END
    cat >"$prefix/lib/cmake/$library/$library-config.cmake" <<END
# find_package($library CONFIG), then link with $library::$library, or $library::static.
get_filename_component(${library}_PREFIX "\${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
${cmake_lines:-}
if(NOT TARGET $library::$library)
  add_library($library::$library SHARED IMPORTED)
  set_target_properties($library::$library PROPERTIES
    IMPORTED_LOCATION "\${${library}_PREFIX}/lib/$shared"
    INTERFACE_INCLUDE_DIRECTORIES "\${${library}_PREFIX}/include")
  add_library($library::static STATIC IMPORTED)
  set_target_properties($library::static PROPERTIES
    IMPORTED_LOCATION "\${${library}_PREFIX}/lib/lib$library.a"
    INTERFACE_INCLUDE_DIRECTORIES "\${${library}_PREFIX}/include"
    INTERFACE_LINK_LIBRARIES "pthread;\${CMAKE_DL_LIBS};m")
endif()
END
    cat >"$prefix/lib/cmake/$library/$library-config-version.cmake" <<END
set(PACKAGE_VERSION "$version")
if(PACKAGE_FIND_VERSION VERSION_LESS_EQUAL PACKAGE_VERSION)
  set(PACKAGE_VERSION_COMPATIBLE TRUE)
endif()
if(PACKAGE_FIND_VERSION VERSION_EQUAL PACKAGE_VERSION)
  set(PACKAGE_VERSION_EXACT TRUE)
endif()
END
}
