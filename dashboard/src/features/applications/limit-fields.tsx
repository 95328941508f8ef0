import { NumberInput, SimpleGrid } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useTranslation } from 'react-i18next'
import { SEPARATORS } from '../../ui/format-numbers.ts'
import { Section } from '../../ui/section.tsx'
import type { Values } from './settings-values.ts'

const LIMITS = [
  ['requests_per_minute', 'default'],
  ['burst', 'default'],
  ['concurrency', 'default'],
  ['tokens_per_minute', 'noLimit'],
  ['user_requests_per_minute', 'noLimit'],
] as const

/** Rate limits. Requests beyond them get status 429 with Retry-After. */
export function LimitFields({ form }: { readonly form: UseFormReturnType<Values> }) {
  const { t } = useTranslation('applications')
  return (
    <Section title={t('settings.limits.title')}>
      <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }}>
        {LIMITS.map(([limit, empty]) => (
          <NumberInput
            key={limit}
            label={t(`settings.limits.${limit}`)}
            placeholder={t(`settings.${empty}`)}
            min={1}
            allowDecimal={false}
            {...SEPARATORS}
            {...form.getInputProps(`limits.${limit}`)}
          />
        ))}
      </SimpleGrid>
    </Section>
  )
}
