// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// Takes no coins.
contract Rejector {
    receive() external payable {
        revert("no coins here");
    }
}
