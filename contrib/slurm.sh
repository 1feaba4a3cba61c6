#!/bin/bash
# Plays a workload on the nodes of a Slurm job: the first is the head and controls the run, each of the others has an
# agent. Headcount with its extra "cluster" must be installed in VENV, in a folder that all nodes see.
#
#   VENV=~/headcount sbatch --nodes=3 contrib/slurm.sh run web-mix --target http://10.0.0.7 --authorised-by "Ada, IT"
#
#SBATCH --job-name=headcount
#SBATCH --ntasks-per-node=1
#SBATCH --exclusive
#SBATCH --time=02:00:00
set -euo pipefail
umask 077

: "${VENV:?set VENV to the folder of the virtual environment with headcount[cluster]}"
export PATH="$VENV/bin:$PATH"
port=${PORT:-6379}
nodes=$(scontrol show hostnames "$SLURM_JOB_NODELIST")
head=$(head -n 1 <<<"$nodes")
agents=$((SLURM_JOB_NUM_NODES - 1))
if ((agents < 1)); then
    echo "error: give two nodes or more: sbatch --nodes=3" >&2
    exit 2
fi

# The token is in a file that only this user can read: Slurm would show it in a command or a variable.
secrets=$(mktemp -d "$HOME/.headcount-slurm-XXXXXX")
started=()
finish() {
    kill "${started[@]}" 2>/dev/null || true
    wait || true
    rm -rf "$secrets"
}
trap finish EXIT
python3 -c 'import secrets; print(secrets.token_hex(32), end="")' >"$secrets/token"
export RAY_AUTH_MODE=token RAY_AUTH_TOKEN_PATH="$secrets/token" RAY_USAGE_STATS_ENABLED=0

# `ray start --block` ends all that it has started when Slurm ends it; `ray stop` would end the Ray of other jobs, too.
node() {
    srun --overlap --nodes=1 --ntasks=1 --nodelist="$1" ray start --block "${@:2}" &
    started+=($!)
}
node "$head" --head --port="$port" --num-cpus=0 --include-dashboard=false
for one in $(tail -n +2 <<<"$nodes"); do
    node "$one" --address="$head:$port" --num-cpus="${SLURM_CPUS_ON_NODE:-1}"
done

address=$(getent ahostsv4 "$head" | awk 'NR == 1 { print $1 }')
alive='import ray, sys; ray.init(address=sys.argv[1], logging_level="ERROR"); print(sum(n["Alive"] for n in ray.nodes()))'
for _ in $(seq 60); do
    found=$(python3 -c "$alive" "$address:$port" 2>/dev/null | tail -n 1 || true)
    [ "${found:-0}" = "$SLURM_JOB_NUM_NODES" ] && break
    sleep 2
done

headcount "$@" --agents "$agents" --cluster "ray://$address:$port"
