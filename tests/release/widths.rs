//! Every case, in every class, in every width that the processor has, by the program as users run it: the stored
//! hashes. An optimised build has separate loops for each width; a development build omits widths.

use cfd_engine::strategy::Strategy;
use cfd_solvers::CASES;

use crate::hashes::{of, stated};
use crate::launch::{Place, Ranks};

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
    let references =
        CASES.iter().flat_map(|case| case.facts().references.iter().map(move |of| (case.name(), of)));
    for (case, reference) in references {
        let place = Place::new();
        place.write("c.toml", format!("case = '{case}'\n"));
        let set = |(key, value): &(&str, &str)| ["--set".into(), format!("{key}={value}")];
        let settings: Vec<String> = reference.settings.iter().flat_map(set).collect();
        for strategy in [Strategy::Regions, Strategy::GreedyColoring, Strategy::DistributedColoring] {
            for lanes in widths() {
                let lanes = format!("execution.lanes={lanes}");
                let own = ["--strategy", strategy.name(), "--threads", "2", "--set", &lanes, "--out", "out"];
                let mut args = vec!["--config", "c.toml"];
                args.extend(settings.iter().map(String::as_str).chain(own));
                place.run(Ranks::Alone, &args).succeeded();
                let summary = place.summary("out");
                let found = [&summary["hash"]["solution"], &summary["history_hash"]];
                let expected = of(&stated(reference), strategy.class());
                if found != expected {
                    wrong.push(format!("{args:?}: {found:?}, expected {expected:?}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
