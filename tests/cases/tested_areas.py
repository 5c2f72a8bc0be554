"""Sources whose names and words stand in their tests, mocks and stories too."""

from __future__ import annotations

AREAS = ("cart", "invoice", "voucher", "session", "inspect", "latest")
TESTED: dict[str, str | bytes] = {}
for area in AREAS:
    Area = area.title()
    TESTED[f"src/{area}.ts"] = (
        f"/** Updates the {area}. */\nexport function update{Area}(x: number) {{\n  return x\n}}\n"
    )
    TESTED[f"src/{area}.test.ts"] = (
        f"import {{ update{Area} }} from './{area}'\n\n"
        f"describe('update {area}', () => {{\n  it('should update the {area}', () => {{ update{Area}(1) }})\n"
        f"  it('updates the {area} twice', () => {{ update{Area}(2) }})\n}})\n"
    )
    TESTED[f"src/__mocks__/{area}.ts"] = f"export function update{Area}(x: number) {{ return 0 }}\n"
    TESTED[f"stories/{area}.stories.tsx"] = f"export const Update{Area} = () => update{Area}(3)\n"
