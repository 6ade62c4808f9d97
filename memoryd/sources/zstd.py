"""Small zstd frames inside of other things, decompressed within bounds."""

import zstandard

_WINDOW = 2**27  # bytes; the largest window we grant memory for


def decompress(data: bytes, largest: int) -> bytes:
    """The bytes in one frame.

    Raises:
        ValueError: damaged, or more than *largest* bytes.
    """
    try:
        with zstandard.ZstdDecompressor(max_window_size=_WINDOW).stream_reader(data) as stream:
            found: bytes = stream.read(largest + 1)
    except zstandard.ZstdError as error:
        raise ValueError("damaged compression") from error
    if len(found) > largest:
        raise ValueError("too much for its compressed size")
    return found
