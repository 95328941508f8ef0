/**
 * What the content detectors find, what they take for something that it is not, and what they cost.
 *
 *     scripts/run node bench/detectors.ts [folder with the development data]
 */
import { join } from 'node:path'
import { loadData } from './detectors/data.ts'
import { benchHiddenText } from './detectors/hidden-text.ts'
import { benchInjection } from './detectors/injection.ts'
import { benchPersonalData } from './detectors/personal-data.ts'
import { benchSecrets } from './detectors/secrets.ts'
import { benchHostile, benchMessages } from './detectors/speed.ts'

const folder = process.argv[2] ?? join(import.meta.dirname, '../../shared/data/detectors')
const data = loadData(folder)
if (data) {
  benchPersonalData(data.presidio)
  benchSecrets(data)
  benchInjection(data)
  benchHiddenText(data)
  benchMessages(data)
} else {
  console.log(`There is no ${folder}: only the cost of hostile texts is measured. Give the folder of the data as an argument.`)
}
benchHostile()
