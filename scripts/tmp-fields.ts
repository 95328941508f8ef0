import { fieldsPage } from '../server/test/fields/page.ts'
import { APIS, fieldRows } from '../server/test/fields/table.ts'
import { LEFT_OUT, leftOutRow } from '../server/test/fields/left-out.ts'
import { FIELD_GROUPS } from '../server/test/fields/table.ts'
import { fieldsOf } from '../server/test/fields/sdk-types.ts'
import { writeFileSync } from 'node:fs'
writeFileSync('/tmp/fields.md', fieldsPage())
for (const g of FIELD_GROUPS) { const k = g.types.flatMap((t) => fieldsOf(t)).filter((n) => !(n in g.values)); if (k.length) console.log('MISSING', g.api, g.at, g.kind, k) }
for (const { group, path, value, outcomes } of fieldRows()) for (const [i, to] of APIS.entries()) {
  const o = outcomes[i]!
  const s = `${group.api} ${path} ${JSON.stringify(value)} -> ${to} ${JSON.stringify(o)}`
  if (o.kind === 'left out' && !leftOutRow(group.api, to, path, value)) console.log('NOREASON', s)
  if (o.kind === 'translated' && to === group.api) console.log('SAME?', s)
  if (o.kind === 'refused') { const n = o.param.replaceAll(/\[\d+\]/g, '[]'); if (!(n.startsWith(path) || (group.at !== '' && n.startsWith(group.at)))) console.log('NAME', s) }
}

const used = new Set(fieldRows().flatMap(({ group, path, value, outcomes }) => APIS.map((to, i) => outcomes[i]!.kind === 'left out' ? leftOutRow(group.api, to, path, value) : undefined)))
console.log('UNUSED', LEFT_OUT.filter((r) => !used.has(r)).map((r) => [String(r.path), String(r.value)]))
