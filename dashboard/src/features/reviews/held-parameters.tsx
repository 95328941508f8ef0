import { Box, Code } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { Section } from '../../ui/section.tsx'
import { escapePointer } from './changed-marks.ts'
import classes from './held-parameters.module.css'
import { HeldText } from './held-text.tsx'
import type { HeldContent, Mark } from './review-item.ts'

interface HeldParametersProps {
  readonly parameters: HeldContent['parameters']
  readonly marks: readonly Mark[]
}

/** Parameters of the request. Policies evaluate them, so they can be the reason for the hold. */
export function HeldParameters({ parameters = {}, marks }: HeldParametersProps) {
  const { t } = useTranslation('reviews')
  if (Object.values(parameters).every(isSetting)) return null
  return (
    <Section title={t('content.parameters')}>
      <Box mah={480} className={classes.parameters} tabIndex={0} role="group" aria-label={t('content.parametersLabel')}>
        <Value value={parameters} pointer="" marks={marks.filter(({ parameter }) => parameter !== null)} />
      </Box>
    </Section>
  )
}

/** Numbers and booleans, such as a temperature, are not shown alone. */
const isSetting = (value: unknown): boolean => typeof value === 'number' || typeof value === 'boolean'

interface ValueProps {
  readonly value: unknown
  /** JSON Pointer (RFC 6901), as in marks. */
  readonly pointer: string
  readonly marks: readonly Mark[]
}

function Value({ value, pointer, marks }: ValueProps) {
  if (typeof value === 'string') {
    return <HeldText text={value} marks={marks.filter(({ parameter }) => parameter === pointer)} />
  }
  const fields = typeof value === 'object' && value !== null ? Object.entries(value) : []
  if (fields.length === 0) return <Code>{JSON.stringify(value)}</Code>
  return (
    <dl className={classes.fields}>
      {fields.map(([name, field]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <Value value={field} pointer={`${pointer}/${escapePointer(name)}`} marks={marks} />
          </dd>
        </div>
      ))}
    </dl>
  )
}
