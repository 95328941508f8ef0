import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { freshDatabases } from '../../../test/support/fresh-database.ts'
import { TEST_SECRET_KEY } from '../../../test/support/seed.ts'
import { loadBudgets } from '../../domains/budgets/budget-store.ts'
import { findApplicationByName } from '../../domains/identity/application-store.ts'
import { findWorkspaceByName } from '../../domains/identity/workspace-store.ts'
import { secretBox } from '../../platform/lib/secret-box.ts'
import { applyConfiguration } from './apply.ts'
import { describeChange } from './change.ts'
import { readGatehouseFile } from './gatehouse-file.ts'

const NOW = new Date('2026-03-02T12:00:00.000Z')

describe.each(freshDatabases())('budgets on $name', async ({ open }) => {
  const fresh = await open()
  await fresh.empty()
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-budgets-'))
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true })
    await fresh.remove()
  })

  const apply = async (budget: string): Promise<string[]> => {
    const path = join(folder, 'gatehouse.yaml')
    writeFileSync(path, `workspaces:\n  - name: acme\n    applications: [{ name: support }]\n    budgets:\n      - ${budget}\n`)
    const changes = await applyConfiguration(
      readGatehouseFile(path, () => undefined),
      {
        database: fresh.database,
        clock: { now: () => NOW },
        workspaceBox: secretBox(TEST_SECRET_KEY, 'workspace'),
        providerBox: secretBox(TEST_SECRET_KEY, 'provider'),
      },
    )
    return changes.filter(({ done, object }) => object === 'budget' && done !== 'unchanged').map(describeChange)
  }

  test('apply: creates a budget, changes its limit, and refuses another scope', async () => {
    const { db } = fresh.database
    const fixed = 'name: team, scope: user, application: support, unit: usd, period: month, time_zone: Europe/Berlin'
    expect(await apply(`{ ${fixed}, limit: 5 }`)).toEqual(['created budget team'])
    expect(await apply(`{ ${fixed}, limit: 5 }`)).toEqual([])
    expect(await apply(`{ ${fixed}, limit: 7.5 }`)).toEqual(['updated budget team (limit)'])
    const workspace = await findWorkspaceByName(db, 'acme')
    const application = await findApplicationByName(db, workspace?.id ?? '', 'support')
    expect(await loadBudgets(db, workspace?.id ?? '')).toMatchObject([
      { name: 'team', amount: 7_500_000_000, applicationId: application?.id, member: null, timeZone: 'Europe/Berlin' },
    ])
    await expect(apply('{ name: team, scope: department, unit: usd, period: month, limit: 5 }')).rejects.toThrow(/cannot change/)
    await expect(apply('{ name: other, scope: claim, unit: usd, period: day, limit: 5 }')).rejects.toThrow(/claim is required/)
    await expect(apply('{ name: other, scope: workspace, unit: usd, period: day, limit: 5, time_zone: Mars }')).rejects.toThrow(
      /time zone/,
    )
  })
})
