"""What dissectors call: each field of a message with its bytes. Plain Python, for people who look at one message."""
