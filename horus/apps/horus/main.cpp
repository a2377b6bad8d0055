// SPDX-License-Identifier: Apache-2.0
// The command line of Horus.
#include "horus/apps/horus/command.hpp"
#include "horus/os/terminal.hpp"

int main(int argc, char** argv) {
  return horus::apps::run(argc, argv, horus::apps::Console{horus::os::inspect_terminal()});
}
