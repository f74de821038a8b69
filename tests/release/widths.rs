//! Every case, in every class, in every width that the processor has, by the program as users run it: the stored hashes. An
//! optimised build has loops of its own in each width; a development build leaves widths out.

use cfd_engine::strategy::Strategy;

use crate::hashes::{AERO, AIRFOIL, EULER, Hashes, PROXY, of};
use crate::launch::{Place, Ranks};

/// Configurations, and how they end.
const CASES: [(&str, Hashes); 4] = [
    (
        "case = 'airfoil'\nmesh.generate = { size = [47, 78], decimals = 6 }\nairfoil.iterations = 100",
        AIRFOIL,
    ),
    ("case = 'aero'\nmesh.generate = { size = [30, 50], decimals = 6 }\naero.iterations = 4", AERO),
    (
        "case = 'mgcfd'\nmesh.generate = { size = [16, 7, 8], levels = 3, shape = 'wing' }\n\
         mgcfd = { scheme = 'euler', iterations = 3 }",
        EULER,
    ),
    (
        "case = 'mgcfd'\nmesh.generate = { size = [12, 8, 10], levels = 3, shape = 'box' }\n\
         mgcfd = { scheme = 'proxy', iterations = 4 }",
        PROXY,
    ),
];

/// The processor's widths.
fn widths() -> Vec<usize> {
    #[cfg(target_arch = "x86_64")]
    {
        let eight = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl");
        let more = [(4, is_x86_feature_detected!("avx2")), (8, eight)];
        [1, 2]
            .into_iter()
            .chain(more.into_iter().filter(|(_, there)| *there).map(|(lanes, _)| lanes))
            .collect()
    }
    #[cfg(not(target_arch = "x86_64"))]
    vec![1, 2]
}

#[test]
fn every_width_gives_the_stored_hashes_of_every_case_and_class() {
    let mut wrong = Vec::new();
    for (config, hashes) in CASES {
        let place = Place::new();
        place.write("c.toml", config);
        for strategy in [Strategy::Regions, Strategy::GreedyColoring, Strategy::DistributedColoring] {
            for lanes in widths() {
                let lanes = format!("execution.lanes={lanes}");
                let args = ["--config", "c.toml", "--strategy", strategy.name(), "--threads", "2"];
                place
                    .run(Ranks::Alone, &[&args[..], &["--set", &lanes, "--out", "out"]].concat())
                    .succeeded();
                let summary = place.summary("out");
                let found = [&summary["hash"]["solution"], &summary["history_hash"]];
                let expected = of(&hashes, strategy.class());
                if found != expected {
                    wrong.push(format!("{config}\n{strategy:?}, {lanes}: {found:?}, expected {expected:?}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
