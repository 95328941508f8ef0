// Writes the generated files in docs/ that are in git: the OpenAPI document, the table of errors and the policy cookbook. With --check it
// compares only, and fails if a file differs from the code. generate-files.mjs writes the others.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApp } from '../server/src/app.ts'
import { createContext } from '../server/src/context.ts'
import { PROVIDER_CODES } from '../server/src/domains/providers/rejection.ts'
import { ERRORS } from '../server/src/errors.ts'
import { readConfig } from '../server/src/platform/config/config.ts'
import { readSecrets } from '../server/src/platform/config/secrets.ts'
import { cookbookPage } from './cookbook-page.ts'

const docs = join(import.meta.dirname, '..', 'docs')

async function openApi(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-docs-'))
  const env = { GATEHOUSE_DATA: folder, GATEHOUSE_DEMO: '0', LOG_LEVEL: 'silent' }
  const config = readConfig(env)
  const context = await createContext(config, readSecrets(env, config))
  try {
    const app = await createApp(context)
    await app.ready()
    const document = JSON.stringify(app.swagger())
    await app.close()
    return formatted(document)
  } finally {
    await context.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** One schema in a line where it fits, so that a change is a short diff. */
function formatted(json: string): string {
  const args = ['format', '--stdin-file-path=docs/api/openapi.json']
  return execFileSync(join(import.meta.dirname, 'run'), ['biome', ...args], { input: json, encoding: 'utf8' })
}

function errorTable(): string {
  const rows = Object.entries(ERRORS).map(
    ([code, { status, type, message }]) => `| \`${code}\` | ${status} | \`${type}\` | ${message} |`,
  )
  const codes = Object.entries(PROVIDER_CODES).map(([code, message]) => `| \`${code}\` | ${message} |`)
  return `# Errors

Generated from \`server/src/errors.ts\`. Every error has the envelope
\`{"error": {"code", "message", "type", "param", "audit_id"?, "review_item_id"?, "expires_at"?, "details"?, "doc_url"}}\`.
After stage 2 (admit), errors carry \`audit_id\`, also as the header \`x-audit-id\`.
\`x-should-retry: false\` is sent with 403, 409, 410 and 422, with a \`Retry-After\` of more than 60 seconds, with requests that a
provider refuses, and with a 502 that only an operator can resolve.

| code | status | type | default message |
|---|---|---|---|
${rows.join('\n')}

## Provider errors

| provider's status | status and code |
|---|---|
| 400, 404, 413, 422 | 400 \`VALIDATION_ERROR\` with \`details.reason: "provider_refused"\` and \`details.provider_code\` (below); \`param\` where it names a field of the request. Not retried; only \`model_not_found\` falls back to another provider of the model |
| none, because its API has no equivalent of a field | the next provider of the model; without one 400 \`VALIDATION_ERROR\` with \`details.reason: "provider_unsupported"\` and the field in \`param\` |
| 429 | after all fallbacks 429 \`RATE_LIMITED\` with \`Retry-After\` (the provider's, at most 3,600 s; default 10 s) and \`details.reason: "provider_rate_limited"\` |
| 401, 402, 403, an empty account | 502 \`PROVIDER_ERROR\`: the gateway's key or account is the cause; operators are notified |
| any other status, or an invalid response | 502 \`PROVIDER_ERROR\`, with the \`Retry-After\` of the provider, or one while the provider is not called after repeated failures |
| no response in time | 504 \`PROVIDER_TIMEOUT\` |

| \`provider_code\` | message |
|---|---|
${codes.join('\n')}

413 \`PAYLOAD_TOO_LARGE\` names the setting of the limit in \`details.setting\` ([configuration.md](configuration.md)).
`
}

const files = {
  'api/openapi.json': await openApi(),
  'errors.md': errorTable(),
  'policy-cookbook.md': cookbookPage(),
}
const check = process.argv.includes('--check')
for (const [name, text] of Object.entries(files)) {
  const path = join(docs, name)
  if (!check) writeFileSync(path, text)
  else if (readFileSync(path, 'utf8') !== text) {
    console.error(`docs/${name} differs from the code: run \`npm run docs\``)
    process.exitCode = 1
  }
}
