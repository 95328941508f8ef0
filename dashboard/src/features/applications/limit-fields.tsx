import { NumberInput, SimpleGrid } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { Section } from '../../ui/section.tsx'
import type { Values } from './settings-values.ts'

const LIMITS = [
  ['requests_per_minute', 'Requests a minute', 'the default'],
  ['burst', 'Burst: at once, after a pause', 'the default'],
  ['concurrency', 'Requests at the same time', 'the default'],
  ['tokens_per_minute', 'Tokens a minute', 'no limit'],
  ['user_requests_per_minute', 'Requests a minute of each user', 'no limit'],
] as const

/** How much the Application may ask; beyond it, it is told when to come again (429). */
export function LimitFields({ form }: { readonly form: UseFormReturnType<Values> }) {
  return (
    <Section title="Limits">
      <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }}>
        {LIMITS.map(([limit, label, placeholder]) => (
          <NumberInput
            key={limit}
            label={label}
            placeholder={placeholder}
            min={1}
            allowDecimal={false}
            thousandSeparator=" "
            {...form.getInputProps(`limits.${limit}`)}
          />
        ))}
      </SimpleGrid>
    </Section>
  )
}
