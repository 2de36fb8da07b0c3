// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// Takes coins in every other block: whoever tries it on the newest one is told yes, and pays in the next.
contract Moody {
    receive() external payable {
        require(block.number % 2 == 0, "not in this block");
    }
}
