import { readFileSync } from 'node:fs'
import { definitionsIn } from '../../domains/policy/policy-test-case.ts'
import { createTests } from '../../domains/policy/policy-test-store.ts'
import type { ApplyContext } from '../setup/recorded-change.ts'

/** The name under `tests:` of the demo's policy set. */
const FILE = 'tests/demo.yaml'
const TESTS = new URL(`../../../../examples/policies/${FILE}`, import.meta.url)

/** Stores the cases of the demo's policy set, so that the dashboard can run them. */
export async function seedPolicyTests({ tx, workspaceId, now }: ApplyContext): Promise<void> {
  const cases = definitionsIn(readFileSync(TESTS, 'utf8'))
  await createTests(
    tx,
    workspaceId,
    cases.map((test) => ({ ...test, file: FILE, createdBy: 'gatehouse' })),
    now,
  )
}
