"""What a file is in its repository."""

from __future__ import annotations

import pytest

from cmgit.core.records import Role
from cmgit.languages.roles import role_of


@pytest.mark.parametrize(
    ("path", "role"),
    [
        ("src/index.ts", Role.SOURCE),
        ("lib/express.js", Role.SOURCE),
        ("index.js", Role.SOURCE),
        # build output, and folders that are only called so
        ("dist/index.js", Role.BUILD),
        ("packages/a/dist/index.js", Role.BUILD),
        ("packages/server/client-dist/client.js", Role.BUILD),
        ("src/client-dist/a.ts", Role.SOURCE),
        ("redist/a.ts", Role.SOURCE),
        ("build/app.js", Role.BUILD),
        ("out/main.js", Role.BUILD),
        ("src/build/plan.ts", Role.SOURCE),
        ("src/out/writer.ts", Role.SOURCE),
        ("packages/core/src/build/plan.ts", Role.SOURCE),
        ("src/rebuild/x.ts", Role.SOURCE),
        ("distribution/x.ts", Role.SOURCE),
        # vendored
        ("vendor/jquery.js", Role.VENDORED),
        ("src/third_party/x.ts", Role.VENDORED),
        ("vendors.ts", Role.SOURCE),
        # minified
        ("public/jquery.min.js", Role.MINIFIED),
        ("public/app.bundle.js", Role.MINIFIED),
        ("public/app-min.js", Role.MINIFIED),
        ("src/admin.js", Role.SOURCE),
        ("src/min.js", Role.SOURCE),
        ("src/bundle.js", Role.SOURCE),
        # generated
        ("src/api.generated.ts", Role.GENERATED),
        ("src/routeTree.gen.ts", Role.GENERATED),
        ("src/__generated__/types.ts", Role.GENERATED),
        ("src/proto/user_pb.d.ts", Role.GENERATED),
        ("src/gen.ts", Role.SOURCE),
        ("src/generator/index.ts", Role.SOURCE),
        # tests, and words that only hold the letters
        ("src/a.test.ts", Role.TEST),
        ("src/a.spec.tsx", Role.TEST),
        ("src/a.cy.ts", Role.TEST),
        ("src/a.test-d.ts", Role.TEST),
        ("src/__tests__/a.ts", Role.TEST),
        ("test/app.router.js", Role.TEST),
        ("tests/unit/a.ts", Role.TEST),
        ("packages/a/test/a.ts", Role.TEST),
        ("src/test/java.ts", Role.TEST),
        ("cypress/support/commands.ts", Role.TEST),
        ("e2e/login.ts", Role.TEST),
        ("test.js", Role.TEST),
        ("src/latest.ts", Role.SOURCE),
        ("src/inspect.js", Role.SOURCE),
        ("src/contest/round.ts", Role.SOURCE),
        ("src/attest.ts", Role.SOURCE),
        ("packages/a/src/test-utils/render.ts", Role.SOURCE),
        ("src/specs.ts", Role.SOURCE),
        ("src/testing/harness.ts", Role.SOURCE),
        # fixtures are stronger than the tests around them
        ("test/fixtures/a.js", Role.FIXTURE),
        ("src/__tests__/__fixtures__/a.ts", Role.FIXTURE),
        ("src/__mocks__/fs.ts", Role.FIXTURE),
        ("src/__snapshots__/a.js", Role.FIXTURE),
        ("testdata/a.js", Role.FIXTURE),
        ("src/snapshots/store.ts", Role.SOURCE),
        # examples
        ("examples/auth/index.js", Role.EXAMPLE),
        ("demo/main.ts", Role.EXAMPLE),
        ("docs/.vitepress/theme.ts", Role.EXAMPLE),
        ("src/Button.stories.tsx", Role.EXAMPLE),
        ("bench/run.js", Role.EXAMPLE),
        ("src/docs/render.ts", Role.SOURCE),
        ("src/demonstrate.ts", Role.SOURCE),
        # declarations and configuration
        ("types/index.d.ts", Role.DECLARATION),
        ("types/index.d.mts", Role.DECLARATION),
        ("src/style.d.css.ts", Role.DECLARATION),
        ("vite.config.ts", Role.CONFIG),
        ("packages/a/rollup.config.mjs", Role.CONFIG),
        ("vitest.config.e2e.ts", Role.CONFIG),
        (".eslintrc.cjs", Role.CONFIG),
        ("Gruntfile.js", Role.CONFIG),
        ("src/config.ts", Role.SOURCE),
        ("src/reconfig.js", Role.SOURCE),
    ],
)
def test_whole_segments_of_the_path_tell_the_role(path: str, role: Role) -> None:
    assert role_of(path) is role


def test_what_gitattributes_says_wins_over_every_name() -> None:
    assert role_of("src/a.ts", generated=True) is Role.GENERATED
    assert role_of("src/a.ts", vendored=True) is Role.VENDORED
    assert role_of("dist/a.ts", generated=False) is Role.SOURCE
    assert role_of("vendor/a.ts", vendored=False) is Role.SOURCE
    assert role_of("src/a.test.ts", vendored=True) is Role.VENDORED


def test_an_attribute_that_denies_one_role_leaves_the_others() -> None:
    assert role_of("vendor/a.d.ts", vendored=False) is Role.DECLARATION
    assert role_of("src/a.test.ts", generated=False, vendored=False) is Role.TEST
    assert role_of("vendor/__tests__/a.ts", vendored=False) is Role.TEST
