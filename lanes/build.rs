//! Chooses the widths for which loops are compiled. Compiling them takes most of a build, so a development build has
//! one lane, and with the feature `widest` also the widest registers of the compiling machine; an optimised build, one
//! for another machine, and one with the feature `every-width` have all.

use std::env;

const WIDTHS: [&str; 4] = ["two_lanes", "four_lanes", "eight_lanes", "gathered_lanes"];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg({})", WIDTHS.join(", "));
    let development = env::var("PROFILE").is_ok_and(|profile| profile == "debug");
    let at_home = env::var("HOST").ok() == env::var("TARGET").ok();
    let has = |feature: &str| env::var_os(format!("CARGO_FEATURE_{feature}")).is_some();
    let widths = match development && at_home && !has("EVERY_WIDTH") {
        true if has("WIDEST") => &[widest()][..],
        true => &[],
        false => &WIDTHS,
    };
    widths.iter().for_each(|width| println!("cargo::rustc-cfg={width}"));
}

/// The widest registers of this machine.
fn widest() -> &'static str {
    #[cfg(target_arch = "x86_64")]
    {
        let eight = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl");
        if eight {
            return "eight_lanes";
        }
        if is_x86_feature_detected!("avx2") {
            return "four_lanes";
        }
    }
    "two_lanes"
}
