//! Parameters of the time of a message.

/// Parameters of the time of a message, in seconds and seconds per byte.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// a: latency of a message between nodes.
    pub latency: f64,
    /// a_h: latency per hop.
    pub hop: f64,
    /// b: time per byte between nodes.
    pub byte: f64,
    /// o: time between the starts of two messages of one node.
    pub gap: f64,
    /// c: the cost of sharing.
    pub sharing: f64,
    /// a_s: latency of a message in a node.
    pub node_latency: f64,
    /// b_s: time per byte in a node.
    pub node_byte: f64,
    /// g: time to add a byte.
    pub add: f64,
}

/// A parameter's name, its description, and access to its value.
pub type Named = (&'static str, &'static str, fn(&mut Parameters) -> &mut f64);

impl Parameters {
    /// The parameters by name.
    pub const NAMED: [Named; 8] = [
        ("latency", "a message between nodes, s", |p| &mut p.latency),
        ("hop", "each hop, s", |p| &mut p.hop),
        ("byte", "each byte between nodes, s", |p| &mut p.byte),
        ("gap", "between successive messages of a node, s", |p| &mut p.gap),
        ("sharing", "share of bandwidth lost per further message of a node", |p| &mut p.sharing),
        ("node-latency", "a message within a node, s", |p| &mut p.node_latency),
        ("node-byte", "each byte within a node, s", |p| &mut p.node_byte),
        ("add", "adding one byte, s", |p| &mut p.add),
    ];

    /// A cluster of 2010: nodes of eight cores (two Intel Xeon X5550) on InfiniBand QDR.
    ///
    /// * `latency`, `gap` and `byte` are measured: LogGP's parameters of MVAPICH on a cluster with InfiniBand at Argonne National
    ///   Laboratory, by Netgauge (Hoefler et al. 2007, doi:10.1007/978-3-540-75444-2_62). Half the round trip of 8 bytes, 11.4 us;
    ///   g = 0.94 us; G = 0.497 ns. The table is a part of CODES, the simulator of networks (`tests/conf/ng-mpi-tukey.dat` of
    ///   github.com/codes-org/codes).
    /// * `hop` is the 100 ns that a QDR switch takes.
    /// * `node_latency`, `node_byte`, `add` and `sharing` are fitted: of a grid of values, those for which the model is
    ///   closest to the measurements of Balaji and Kimpe on such nodes ("On the Reproducibility of MPI Reduction
    ///   Operations", HPCC 2013, doi:10.1109/HPCC.and.EUC.2013.65). `tests/measured.rs` compares the two.
    pub const CLUSTER: Parameters = Parameters {
        latency: 5.7e-6,
        hop: 0.1e-6,
        byte: 0.497e-9,
        gap: 0.94e-6,
        sharing: 0.6,
        node_latency: 0.7e-6,
        node_byte: 0.25e-9,
        add: 0.05e-9,
    };

    /// A network without distances or nodes: T = a + b n + g n for every message.
    pub fn flat(latency: f64, byte: f64, add: f64) -> Parameters {
        let [hop, gap, sharing] = [0.0; 3];
        Parameters { latency, hop, byte, gap, sharing, node_latency: latency, node_byte: byte, add }
    }
}
