"""Random programs on the runtime that the first argument names; prints the hash of each."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

import onebuf

if __name__ == "__main__":
    import distributed_programs

    name, first, last, *places = sys.argv[1:]
    options = {"places": int(places[0])} if places else {}
    with onebuf.runtime(name, **options) as opened:
        found = distributed_programs.digests(range(int(first), int(last)))
        if opened.rank == 0:
            print(*found, sep="\n")
