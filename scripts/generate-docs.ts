// Writes what is generated in docs/: the OpenAPI document and the table of errors. With --check it only compares, and fails
// where the committed files have drifted from the code.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApp } from '../server/src/app.ts'
import { readConfig } from '../server/src/config/config.ts'
import { readSecrets } from '../server/src/config/secrets.ts'
import { createContext } from '../server/src/context.ts'
import { ERRORS } from '../server/src/errors.ts'

const docs = join(import.meta.dirname, '..', 'docs')

async function openApi(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-docs-'))
  const env = { GATEHOUSE_DATA: folder, GATEHOUSE_DEMO: '0', LOG_LEVEL: 'silent' }
  const config = readConfig(env)
  const context = await createContext(config, readSecrets(env, config))
  try {
    const app = await createApp(context)
    await app.ready()
    const document = JSON.stringify(app.swagger(), null, 2)
    await app.close()
    return `${document}\n`
  } finally {
    await context.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

function errorTable(): string {
  const rows = Object.entries(ERRORS).map(
    ([code, { status, type, message }]) => `| \`${code}\` | ${status} | \`${type}\` | ${message} |`,
  )
  return `# Errors

Generated from \`server/src/errors.ts\`. Every error has the envelope
\`{"error": {"code", "message", "type", "param", "audit_id"?, "review_item_id"?, "details"?}}\`.
Once a request has been let in (stage 2), its errors carry \`audit_id\`, also as header \`x-audit-id\`.
\`x-should-retry: false\` stands on 403, 409, 410, 422 and on a 429 whose \`Retry-After\` exceeds 60 seconds.

| code | status | type | message unless a more exact one is given |
|---|---|---|---|
${rows.join('\n')}
`
}

const files = { 'api/openapi.json': await openApi(), 'errors.md': errorTable() }
const check = process.argv.includes('--check')
for (const [name, text] of Object.entries(files)) {
  const path = join(docs, name)
  if (!check) writeFileSync(path, text)
  else if (readFileSync(path, 'utf8') !== text) {
    console.error(`docs/${name} has drifted from the code: run \`npm run docs\``)
    process.exitCode = 1
  }
}
