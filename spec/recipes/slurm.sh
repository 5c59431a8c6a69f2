#!/bin/sh
# slurm.sh SHARDS: starts a Slurm of one node in this folder (munged, slurmctld, slurmd; as root), runs job.sh as an
# array of SHARDS jobs, waits, and stops what it started. Needs the packages munge, slurmctld, slurmd, slurm-client.
set -eu
shards=$1
here=$(pwd)
node=$(hostname -s)
mkdir -p state spool run
chmod 755 "$here"
dd if=/dev/urandom of=munge.key bs=1 count=1024 2>/dev/null
chmod 600 munge.key
for folder in state spool run; do chmod 755 $folder; done
munged --force --key-file="$here/munge.key" --socket="$here/run/munge.sock" --pid-file="$here/run/munged.pid" \
    --log-file="$here/run/munged.log" --seed-file="$here/run/munged.seed" --foreground >/dev/null 2>&1 &
munged=$!

cat >slurm.conf <<EOF
ClusterName=one
SlurmctldHost=$node(127.0.0.1)
AuthType=auth/munge
AuthInfo=socket=$here/run/munge.sock
CryptoType=crypto/munge
SlurmUser=root
SlurmdUser=root
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
SlurmctldPort=16817
SlurmdPort=16818
StateSaveLocation=$here/state
SlurmdSpoolDir=$here/spool
SlurmctldPidFile=$here/run/slurmctld.pid
SlurmdPidFile=$here/run/slurmd.pid
SlurmctldLogFile=$here/run/slurmctld.log
SlurmdLogFile=$here/run/slurmd.log
MpiDefault=none
SlurmdParameters=config_overrides
NodeName=$node NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=all Nodes=$node Default=YES MaxTime=INFINITE State=UP
EOF
export SLURM_CONF="$here/slurm.conf"
slurmctld -D >run/ctld.out 2>&1 &
slurmctld=$!
slurmd -D -N "$node" >run/d.out 2>&1 &
slurmd=$!
stop() { kill "$slurmd" "$slurmctld" "$munged" 2>/dev/null || true; wait 2>/dev/null || true; }
trap stop EXIT

for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
    sinfo -h -o %T 2>/dev/null | grep -q idle && break
    sleep 1
done
sbatch --wait --array="0-$((shards - 1))" --output="job.%a.out" job.sh
cat job.*.out
sacct --version 2>/dev/null || slurmd -V
