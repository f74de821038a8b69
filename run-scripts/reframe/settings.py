"""ReFrame's settings for one machine with mpirun and no batch system."""

site_configuration = {
    "systems": [
        {
            "name": "here",
            "descr": "this machine",
            "hostnames": [".*"],
            "partitions": [
                {
                    "name": "mpirun",
                    "scheduler": "local",
                    "launcher": "mpirun",
                    "environs": ["builtin"],
                    "max_jobs": 1,
                    "env_vars": [["OMPI_MCA_rmaps_base_oversubscribe", "1"]],
                }
            ],
        }
    ],
}
