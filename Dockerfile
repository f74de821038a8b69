# The program with Open MPI and parallel HDF5 (docs/clusters.md):
#   docker build --build-arg CFD_COMMIT=$(git rev-parse HEAD) -t cfd . && docker run --rm -v "$PWD:/work" cfd --config configs/airfoil-small.toml
FROM debian:bookworm-slim AS build
WORKDIR /src
# Before the sources, so that a change of theirs does not install everything again.
COPY run-scripts/container run-scripts/machine.sh run-scripts/
RUN run-scripts/container packages
COPY . .
# The commit that runs state; .git is not copied.
ARG CFD_COMMIT=unknown
RUN run-scripts/container build

FROM debian:bookworm-slim
COPY --from=build /opt/cfd /usr/local
RUN --mount=type=bind,from=build,source=/src/run-scripts,target=/src/run-scripts /src/run-scripts/container runtime \
    && useradd --uid 1000 --create-home cfd
USER 1000
WORKDIR /work
# Open MPI's copy between processes needs a right that containers do not have.
ENV OMPI_MCA_btl_vader_single_copy_mechanism=none HDF5_USE_FILE_LOCKING=FALSE
ENTRYPOINT ["cfd"]
CMD ["--version"]
