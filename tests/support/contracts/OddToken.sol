// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// A token that anyone may mint, and that pays as it was told to.
contract OddToken {
    event Transfer(address indexed from, address indexed to, uint256 value);

    enum Way {
        AnswersTrue,
        AnswersNothing,
        AnswersFalse,
        AnswersTwo,
        AnswersTwoWords,
        AnswersOneByte,
        Reverts,
        RevertsForCode,
        RevertsForOrigin,
        OnlyLogs,
        OnlyMoves,
        OnlyAnswers,
        KeepsTenth,
        BurnsGas,
        AnswersMegabyte,
        RevertsWithMegabyte,
        Enters
    }

    struct Call {
        address target;
        uint256 value;
        bytes data;
    }

    uint8 public constant decimals = 6;
    mapping(address => uint256) public balanceOf;
    Way public way;
    Call[] private calls;

    receive() external payable {}

    function mint(address to, uint256 value) external {
        balanceOf[to] += value;
        emit Transfer(address(0), to, value);
    }

    function behave(Way way_) external {
        way = way_;
    }

    /// What it calls in the middle of a payment.
    function prepare(Call[] calldata calls_) external {
        delete calls;
        for (uint256 i = 0; i < calls_.length; i++) calls.push(calls_[i]);
    }

    function transfer(address to, uint256 value) external {
        require(way != Way.Reverts, "no");
        require(way != Way.RevertsForCode || msg.sender.code.length == 0, "no code");
        require(way != Way.RevertsForOrigin || msg.sender == tx.origin, "no contracts");
        if (way == Way.BurnsGas) while (true) {}
        if (way == Way.RevertsWithMegabyte) {
            assembly {
                revert(0, 1000000)
            }
        }
        if (way == Way.Enters) {
            for (uint256 i = 0; i < calls.length; i++) {
                (bool ok,) = calls[i].target.call{value: calls[i].value}(calls[i].data);
                ok;
            }
        }
        bool moves = way != Way.AnswersFalse && way != Way.OnlyLogs && way != Way.OnlyAnswers;
        if (moves) {
            require(balanceOf[msg.sender] >= value, "balance exceeded");
            balanceOf[msg.sender] -= value;
            balanceOf[to] += way == Way.KeepsTenth ? value - value / 10 : value;
        }
        if (way == Way.OnlyLogs || moves && way != Way.OnlyMoves) emit Transfer(msg.sender, to, value);
        uint256 answer = way == Way.AnswersFalse ? 0 : way == Way.AnswersTwo ? 2 : 1;
        uint256 length = way == Way.AnswersNothing
            ? 0
            : way == Way.AnswersTwoWords
            ? 64
            : way == Way.AnswersOneByte
            ? 1
            : way == Way.AnswersMegabyte
            ? 1000000
            : 32;
        assembly {
            mstore(0, answer)
            return(0, length)
        }
    }
}
