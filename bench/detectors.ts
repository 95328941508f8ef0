import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { loadData } from './detectors/data.ts'
import { benchHiddenText } from './detectors/hidden-text.ts'
import { benchInjection } from './detectors/injection.ts'
import { benchPersonalData } from './detectors/personal-data.ts'
import { SCORE_HEADINGS, table } from './detectors/score.ts'
import { benchSecrets } from './detectors/secrets.ts'
import { benchHostile, benchMessages } from './detectors/speed.ts'
import { writeBetweenMarks } from './support/table.ts'

/**
 * Measures recall, false alarms and CPU time of the content detectors:
 * `scripts/run node bench/detectors.ts [folder of the development data] [--write]`, see README.md.
 */
const { values, positionals } = parseArgs({ options: { write: { type: 'boolean', default: false } }, allowPositionals: true })

const folder = positionals[0] ?? join(import.meta.dirname, '../../shared/data/detectors')
const data = loadData(folder)
if (!data)
  console.error(
    `${folder} does not exist: only the cost of hostile texts is measured. Give the folder of the data as an argument.`,
  )

const quality = data
  ? [...benchPersonalData(data.presidio), ...benchSecrets(data), ...benchInjection(data), ...benchHiddenText(data)]
  : []
const cost = [...(data ? benchMessages(data) : []), ...benchHostile()]
const text = [table('Quality', SCORE_HEADINGS, quality), table('Cost of all detectors', ['', 'time'], cost)].join('\n\n')
console.log(text)
if (values.write && data) writeBetweenMarks(new URL('README.md', import.meta.url), 'detectors', `\n${text}\n`)
