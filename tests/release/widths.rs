//! Every case, in every class, in every width that the processor has: the stored hashes. The optimised build has loops of
//! its own in each width, and a development build leaves widths out.

use cfd_engine::lane::Width;
use cfd_engine::strategy::Strategy;

use crate::harness::Split;
use crate::harness::references::ALL;

#[test]
fn every_width_gives_the_stored_hashes_of_every_case_and_class() {
    let classes = [Strategy::Regions, Strategy::GreedyColoring, Strategy::DistributedColoring];
    let mut wrong = Vec::new();
    for case in &ALL {
        for strategy in classes {
            for lanes in Width::available() {
                let split = Split::new(2, "metis").with(|options| {
                    options.strategy = strategy;
                    options.lanes = lanes;
                    options.threads = 2;
                });
                wrong.extend(case.compare(&(case.run)(&split), &split).err());
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn an_optimised_build_has_all_widths_of_the_processor() {
    #[cfg(target_arch = "x86_64")]
    for (lanes, there) in [
        (2, true),
        (4, is_x86_feature_detected!("avx2")),
        (8, is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512dq")),
    ] {
        assert_eq!(Width::new(lanes).is_ok(), there, "{lanes} lanes");
    }
    assert!(Width::new(1).is_ok() && Width::new(2).is_ok());
}
