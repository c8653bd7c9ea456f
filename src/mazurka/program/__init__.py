"""The program under test: the protocol between programs and explorers, and the front ends."""
