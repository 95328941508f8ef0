import { CloseButton, TextInput, type TextInputProps } from '@mantine/core'
import { useTypedFilter } from './use-typed-filter.ts'

interface FilterFieldProps extends Pick<TextInputProps, 'label' | 'placeholder' | 'aria-label' | 'w' | 'error'> {
  readonly type?: 'text' | 'datetime-local'
  /** What the address says. */
  readonly value: string
  readonly onChange: (value: string | undefined) => void
}

/** A text that filters a list. */
export function FilterField({ value, onChange, type = 'text', ...input }: FilterFieldProps) {
  const { typed, change } = useTypedFilter(value, onChange)
  const name = input['aria-label'] ?? (typeof input.label === 'string' ? input.label : '')
  return (
    <TextInput
      {...input}
      type={type}
      value={typed}
      onChange={({ currentTarget }) => change(currentTarget.value)}
      rightSection={typed && type === 'text' && <CloseButton size="sm" aria-label={`Clear ${name}`} onClick={() => change('')} />}
    />
  )
}
