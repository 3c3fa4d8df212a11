"""Small things that Go does, and what a port is resolved to: part of naive.py."""


def go_quote(text):
    """strconv.Quote: printable Unicode stays, the rest is escaped (E-009)."""
    named = {"\a": "\\a", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t",
             "\v": "\\v", '"': '\\"', "\\": "\\\\"}
    out = []
    for char in text:
        code = ord(char)
        if char in named:
            out.append(named[char])
        elif code < 0x20 or code == 0x7f:
            out.append("\\x%02x" % code)
        elif 0xd800 <= code <= 0xdfff:
            out.append("\ufffd")
        elif char == " " or (char.isprintable() and char != "\u00a0"):
            out.append(char)
        else:
            out.append("\\u%04x" % code if code < 0x10000 else "\\U%08x" % code)
    return '"' + "".join(out) + '"'


def go_duration(seconds):
    """time.Duration.String of whole seconds: 1s, 1m30s, 1h0m0s."""
    sign, seconds = ("-", -seconds) if seconds < 0 else ("", seconds)
    hours, minutes = seconds // 3600, seconds // 60 % 60
    text = f"{seconds % 60}s"
    if seconds >= 60:
        text = f"{minutes}m{text}"
    if seconds >= 3600:
        text = f"{hours}h{text}"
    return sign + text


def expand(text, variables):
    """$(NAME) from literal env values; $$ is $; what is unknown stays as it is (P-077)."""
    out, i = [], 0
    while i < len(text):
        if text[i] != "$" or i + 1 == len(text):
            out.append(text[i])
            i += 1
        elif text[i + 1] == "$":
            out.append("$")
            i += 2
        elif text[i + 1] == "(" and ")" in text[i + 2:]:
            end = text.index(")", i + 2)
            name = text[i + 2:end]
            out.append(variables.get(name, f"$({name})"))
            i = end + 1
        else:
            out.append(text[i:i + 2])
            i += 2
    return "".join(out)


def cut(text, limit):
    return text.encode("utf-8", "surrogatepass")[:limit].decode("utf-8", "replace")


def atoi(text):
    """strconv.Atoi on 64 bits: (number, None) or (None, what is wrong)."""
    digits = text[1:] if text[:1] in ("+", "-") else text
    if not digits:
        return None, "invalid syntax"
    value = 0
    for char in digits:  # overflow is noticed before a bad character that follows (E-008)
        if char not in "0123456789":
            return None, "invalid syntax"
        if value > (2**64 - 1) // 10 or value * 10 + int(char) > 2**64 - 1:
            return None, "value out of range"
        value = value * 10 + int(char)
    value = -value if text[0] == "-" else value
    if not -2**63 <= value < 2**63:
        return None, "value out of range"
    return value, None


def resolve_port(port, ports, minor):
    """P-132 to P-134, E-003 to E-009; 1.37 has no Atoi fallback."""
    if isinstance(port, str):
        named = [p for p in ports if p.get("name", "") == port]
        if named:
            number = named[0].get("containerPort", 0)
        elif minor >= 37:
            return {"invalid": f"port {go_quote(port)} not found"}
        else:
            number, wrong = atoi(port)
            if wrong:
                return {"invalid": f"strconv.Atoi: parsing {go_quote(port)}: {wrong}"}
    else:
        number = port
    if not 1 <= number <= 65535:
        return {"invalid": f"invalid port number: {number}"}
    return {"port": number}
