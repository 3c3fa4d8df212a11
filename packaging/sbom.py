#!/usr/bin/env python3
"""sbom.py FOLDER VERSION REPOSITORY: an SPDX 2.3 document of a release, on stdout.

Each file of the release with its checksum, and each library that the static binaries carry, with the version of the Debian
package that it was taken from.
"""
import datetime
import hashlib
import json
import os
import subprocess
import sys

# What is linked into the static binaries: Debian package, source, licence.
LINKED = (("libyaml-dev", "libyaml", "MIT"), ("zlib1g-dev", "zlib", "Zlib"), ("libc6-dev", "glibc", "LGPL-2.1-or-later"))


def debian_version(package):
    done = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", package], capture_output=True, text=True, check=True)
    return done.stdout


def file_of(folder, name):
    with open(os.path.join(folder, name), "rb") as file:
        data = file.read()
    return {
        "SPDXID": "SPDXRef-File-" + name,
        "fileName": "./" + name,
        "checksums": [{"algorithm": "SHA1", "checksumValue": hashlib.sha1(data).hexdigest()},
                      {"algorithm": "SHA256", "checksumValue": hashlib.sha256(data).hexdigest()}],
        "licenseConcluded": "NOASSERTION",
        "copyrightText": "NOASSERTION",
    }


def package(name, version, licence, purl, location="NOASSERTION"):
    return {
        "SPDXID": "SPDXRef-Package-" + name,
        "name": name,
        "versionInfo": version,
        "downloadLocation": location,
        "filesAnalyzed": False,
        "licenseConcluded": licence,
        "licenseDeclared": licence,
        "copyrightText": "NOASSERTION",
        "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": purl}],
    }


def main(folder, version, repository):
    files = [file_of(folder, name) for name in sorted(os.listdir(folder))]
    own = package("probetest", version, "Apache-2.0", "pkg:generic/probetest@" + version,
                  "%s/releases/download/v%s/probetest-%s.tar.gz" % (repository, version, version))
    linked = [package(name, debian_version(deb), licence, "pkg:deb/debian/%s@%s" % (deb, debian_version(deb)))
              for deb, name, licence in LINKED]
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", own["SPDXID"])]
    for file in files:
        relations.append((own["SPDXID"], "GENERATES" if "linux" in file["fileName"] else "DISTRIBUTION_ARTIFACT", file["SPDXID"]))
    for one in linked:
        relations.append((own["SPDXID"], "STATIC_LINK", one["SPDXID"]))
    when = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc)
    digest = hashlib.sha256(json.dumps(files, sort_keys=True).encode()).hexdigest()
    json.dump({
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": "probetest-" + version,
        "documentNamespace": "%s/spdx/%s-%s" % (repository, version, digest[:16]),
        "creationInfo": {"created": when.strftime("%Y-%m-%dT%H:%M:%SZ"), "creators": ["Tool: packaging/sbom.py"]},
        "packages": [own] + linked,
        "files": files,
        "relationships": [{"spdxElementId": a, "relationshipType": kind, "relatedSpdxElement": b} for a, kind, b in relations],
    }, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main(*sys.argv[1:])
