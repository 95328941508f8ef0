import { NumberInput, SimpleGrid } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { Section } from '../../ui/section.tsx'
import type { Values } from './settings-values.ts'

const LIMITS = [
  ['requests_per_minute', 'Requests per minute', 'Default'],
  ['burst', 'Burst size', 'Default'],
  ['concurrency', 'Concurrent requests', 'Default'],
  ['tokens_per_minute', 'Tokens per minute', 'No limit'],
  ['user_requests_per_minute', 'Requests per minute per user', 'No limit'],
] as const

/** Rate limits. Requests beyond them get status 429 with Retry-After. */
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
