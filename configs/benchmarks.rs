// The benchmarks that `cfd info --benchmarks` lists: names of configurations beside this file, and these.
[
    ("airfoil-small", include_str!("airfoil-small.toml")),
    ("airfoil", include_str!("airfoil.toml")),
    ("airfoil-published", include_str!("airfoil-published.toml")),
    ("airfoil-converged", include_str!("airfoil-converged.toml")),
    ("aero-small", include_str!("aero-small.toml")),
    ("aero", include_str!("aero.toml")),
    ("aero-published", include_str!("aero-published.toml")),
    ("mgcfd-small", include_str!("mgcfd-small.toml")),
    ("mgcfd-proxy", include_str!("mgcfd-proxy.toml")),
    ("mgcfd", include_str!("mgcfd.toml")),
    ("heat", include_str!("heat.toml")),
    ("lulesh", include_str!("lulesh.toml")),
    ("adaptation-metrics", include_str!("adaptation-metrics.toml")),
    ("adaptation-front", include_str!("adaptation-front.toml")),
]
