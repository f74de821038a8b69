# shellcheck shell=bash
# shellcheck disable=SC2034 # the variables are for the scripts that source this file
# What the job scripts share: how ranks are started here, and one attempt at a run, which continues from the newest
# intact checkpoint and forwards requests to stop. To be sourced in the root of the repository.

# The program.
cfd="${CFD:-target/release/cfd}"

# Exit code of a run that was asked to stop, after writing a checkpoint if there was anything to save (EX_TEMPFAIL).
stopped=75

# A job that ends this many times in a row without completing an iteration is not queued again.
fruitless_limit="${CFD_FRUITLESS_LIMIT:-3}"

log() {
    printf '%s  %s\n' "$(date '+%F %T')" "$*"
}

# Sets `launch` to the command that starts `ranks` ranks, each bound to `threads` cores of its own. Inside a Slurm job that
# is srun, or mpirun when CFD_LAUNCHER=mpirun or Slurm lacks the interface (CFD_PMI, pmix) that the MPI library speaks.
choose_launcher() {
    local ranks=$1 threads=$2 interface="${CFD_PMI:-pmix}" launcher="${CFD_LAUNCHER:-}"
    if [ -z "$launcher" ]; then
        launcher=mpirun
        if [ -n "${SLURM_JOB_ID:-}" ] && srun --mpi=list 2>&1 | grep -w "$interface" >/dev/null; then
            launcher=srun
        fi
    fi
    if [ "$launcher" = srun ]; then
        # srun does not take --cpus-per-task from the job. --exact gives a step that is smaller than the job the cores that
        # it asks for and no more. A rank that fails ends the others.
        launch=(srun "--mpi=$interface" "--ntasks=$ranks" "--cpus-per-task=$threads" --exact --cpu-bind=cores
            --kill-on-bad-exit=1)
    elif mpirun --version 2>&1 | grep 'Open MPI\|OpenRTE' >/dev/null; then
        launch=(mpirun -n "$ranks" --map-by "slot:PE=$threads" --bind-to core)
    else
        launch=(mpirun -n "$ranks" -bind-to "core:$threads")
    fi
}

# The iterations of the checkpoints in a directory, one per line.
checkpoints() {
    if [ -d "$1" ]; then
        find "$1" -maxdepth 1 -name 'checkpoint-*.h5' | sed 's/.*checkpoint-\(.*\)\.h5$/\1/' | sort
    fi
}

# Runs the rest of the arguments (launcher, program, options) with results in the directory `out`, from the newest
# intact checkpoint there if there is any. SIGUSR1, SIGTERM and SIGINT to this shell are forwarded to the launcher as
# SIGUSR1, which reaches the ranks and does not end Open MPI's mpirun. Sets `code` to the exit code, `asked` to the
# signal that came (USR1, TERM, INT or nothing), `progressed` to 1 if there is a checkpoint of an iteration that had
# none before, else 0, and `fruitless` to the number of attempts in a row, this one included, that were stopped without
# progress.
attempt() {
    local out=$1 before from=()
    shift
    before=$(checkpoints "$out")
    if [ -n "$before" ]; then
        from=(--restart "$out")
        log "Continuing from the newest intact checkpoint in $out."
    else
        log "Starting from the beginning."
    fi
    asked='' launched=''
    trap 'hand_on USR1' USR1
    trap 'hand_on TERM' TERM
    trap 'hand_on INT' INT
    "$@" --out "$out" "${from[@]}" &
    launched=$!
    while :; do
        handed_on='' code=0
        wait "$launched" || code=$?
        # A signal to this shell ends the wait with a code above 128, while the launcher is still there.
        if [ -z "$handed_on" ] || [ "$code" -le 128 ]; then
            break
        fi
    done
    trap - USR1 TERM INT
    progressed=0
    if [ -n "$(comm -13 <(echo "$before") <(checkpoints "$out"))" ]; then
        progressed=1
    fi
    count_fruitless "$out"
    log "Exit code $code."
    if [ "$code" -eq 2 ] && [ -n "$before" ]; then
        echo "If no checkpoint in $out is intact, or they are another run's, remove them to start from the beginning." >&2
    fi
}

hand_on() {
    asked=$1 handed_on=1
    kill -USR1 "$launched" 2>/dev/null || true
}

# Attempts in a row that were stopped without progress, kept in the directory from job to job.
count_fruitless() {
    local kept="$1/.fruitless-attempts"
    fruitless=0
    if [ "$code" -eq "$stopped" ] && [ "$progressed" -eq 0 ]; then
        fruitless=$(($(cat "$kept" 2>/dev/null || echo 0) + 1))
        mkdir -p "$1"
        echo "$fruitless" >"$kept"
    else
        rm -f "$kept"
    fi
}

# Whether another job may make progress on a stopped run: not after several in a row without time for an iteration.
is_worth_another() {
    if [ "$code" -ne "$stopped" ]; then
        return 1
    fi
    if [ "$fruitless" -ge "$fruitless_limit" ]; then
        echo "$fruitless jobs in a row had no time for a single iteration: not queued again; give it more time." >&2
        return 1
    fi
}

# In a Slurm job, after an attempt that was asked to stop before the time limit: queues the job again. Not so when Slurm
# ends the job, by scancel or preemption (it sends SIGTERM then).
requeue_if_stopped() {
    if [ "$asked" != USR1 ] || ! is_worth_another; then
        return
    fi
    log "Queueing job $SLURM_JOB_ID again, restart $((${SLURM_RESTART_COUNT:-0} + 1))."
    scontrol requeue "$SLURM_JOB_ID"
    # Slurm ends this script, before it could end the job with the exit code.
    sleep 60
}
