// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Moves what many deposit addresses hold in one transaction of the gas wallet.
///
/// The same code is what the gas wallet calls and what deposit addresses delegate to (EIP-7702). At
/// a delegated address it runs with that address as `address(this)`; the immutables are part of the
/// code and still name the gas wallet and this contract. So there are three cases, told apart
/// before anything else:
///
/// 1. It runs as itself. Only the gas wallet may call it, with a list of orders.
/// 2. It runs at a delegated address, called by this contract: it moves exactly what the call says.
/// 3. It runs at a delegated address, called by anybody else, the gas wallet and other delegated
///    addresses included: nothing happens, as at an account without code, and coins are taken.
///
/// SECURITY
///
/// - Case 1 makes no call but those of case 2, and case 2 makes exactly one: to the token, or to
///   the recipient of coins. Whoever gets control there (token, hook, recipient) is none of the
///   callers that cases 1 and 2 obey, so entering again does nothing. Neither `tx.origin` nor
///   anything else that a call in between could borrow is asked.
/// - There is no storage, no owner to change, no upgrade, no DELEGATECALL, no SELFDESTRUCT and no
///   signature that could be replayed. Whoever delegates to this code or runs it by DELEGATECALL
///   only runs case 3, or an order of the gas wallet.
/// - Storage of an address that delegates elsewhere, before or later, can't collide with any.
/// - An order is carried out only where the code is a delegation to this very contract
///   (EXTCODEHASH of a delegated address is that of 0xef0100 and the delegate). So `Moved` is never
///   the word of other code. It still may be the word of a lying token: whoever reads it asks for
///   the token's own log and for balances as well.
/// - An order gets `gasEach` and no more, its result isn't copied, and if it fails in whatever way
///   nothing of it remains but `NotMoved`. It isn't begun if less than `gasEach` would reach it, so
///   that no order fails because others used up the gas: what remains isn't tried and has no log.
///   `atLeast` makes that a failure of the whole, for whoever estimates gas.
/// - A token's answer is what the rest of the program takes for one: nothing, or exactly one word
///   that is 1. A token without code moves nothing.
/// - To ERC-1271 (signatures), ERC-721, 1155 and 1363 (hooks of recipients), 3156 (flash loans) and
///   4337 (user operations), case 3 answers with no data, which each of them takes for a refusal;
///   ERC-777 asks a registry that has no delegated address. Nobody can sign, borrow or pay in the
///   name of one. What can't be received like this fails at the payer's, who keeps it.
/// - Tokens may treat addresses with code differently, as recipients or as senders. One that
///   refuses to pay then fails alone, and the delegation can be taken back.
/// - The gas wallet's key moves everything that delegated addresses hold.
contract Collector {
    struct Order {
        address from;
        /// Zero for the native coin.
        address token;
        address to;
        uint256 amount;
    }

    event Moved(uint256 order);
    event NotMoved(uint256 order);

    /// What an order needs around its own gas: the look at its code, two calls, the log, the answer.
    uint256 private constant OVERHEAD = 10_000;

    address private immutable OWNER;
    address private immutable SELF = address(this);
    bytes32 private immutable DELEGATED = keccak256(abi.encodePacked(hex"ef0100", address(this)));

    constructor(address owner) {
        OWNER = owner;
    }

    /// `fallback` would do, but takes longer to get to the end.
    receive() external payable {
        require(address(this) != SELF);
    }

    fallback() external payable {
        if (address(this) == SELF) {
            require(msg.sender == OWNER && msg.value == 0);
            collect();
        } else if (msg.sender == SELF) {
            move();
        }
    }

    /// collect(uint256 gasEach, uint256 atLeast, Order[] orders) returns (bytes moved)
    ///
    /// In the answer each order has a byte, 1 if it was moved: calls and estimates have no logs.
    function collect() private {
        bytes32 delegated = DELEGATED;
        (bytes32 movedEvent, bytes32 notMovedEvent) = (Moved.selector, NotMoved.selector);
        // Never returns to Solidity, so all of the memory is free to use.
        assembly {
            let gasEach := calldataload(0x04)
            let atLeast := calldataload(0x24)
            let count := calldataload(0x64)
            // What is missing would be read as zeros.
            if or(shr(32, count), xor(calldatasize(), add(0x84, mul(count, 0x80)))) { revert(0, 0) }
            // A call passes on at most 63/64 of the gas.
            let needed := add(add(gasEach, div(gasEach, 63)), OVERHEAD)
            let i := 0
            for { let order := 0x84 } lt(i, count) {
                i := add(i, 1)
                order := add(order, 0x80)
            } {
                if lt(gas(), needed) { break }
                let from := calldataload(order)
                let outcome := notMovedEvent
                if eq(extcodehash(from), delegated) {
                    calldatacopy(0, add(order, 0x20), 0x60)
                    if call(gasEach, from, 0, 0, 0x60, 0, 0) {
                        outcome := movedEvent
                        mstore8(add(0xc0, i), 1)
                    }
                }
                mstore(0, i)
                log1(0, 0x20, outcome)
            }
            if lt(i, atLeast) { revert(0, 0) }
            mstore(0x80, 0x20)
            mstore(0xa0, count)
            return(0x80, add(0x40, and(add(count, 0x1f), not(0x1f))))
        }
    }

    /// Token, recipient and amount are the three words of the call.
    function move() private {
        assembly {
            let token := calldataload(0)
            let moved
            switch token
            case 0 { moved := call(gas(), calldataload(0x20), calldataload(0x40), 0, 0, 0, 0) }
            default {
                // transfer(address,uint256)
                mstore(0, shl(224, 0xa9059cbb))
                calldatacopy(4, 0x20, 0x40)
                if call(gas(), token, 0, 0, 0x44, 0, 0x20) {
                    switch returndatasize()
                    case 0 { moved := gt(extcodesize(token), 0) }
                    default { moved := and(eq(returndatasize(), 0x20), eq(mload(0), 1)) }
                }
            }
            if iszero(moved) { revert(0, 0) }
            stop()
        }
    }
}
