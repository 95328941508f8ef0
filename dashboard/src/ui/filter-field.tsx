import { CloseButton, TextInput, type TextInputProps } from '@mantine/core'
import { useDebouncedFilter } from './use-debounced-filter.ts'

interface FilterFieldProps extends Pick<TextInputProps, 'label' | 'placeholder' | 'aria-label' | 'w' | 'error'> {
  readonly type?: 'text' | 'datetime-local'
  /** Value in the URL. */
  readonly value: string
  readonly onChange: (value: string | undefined) => void
}

/** A text input that filters a list. */
export function FilterField({ value, onChange, type = 'text', ...input }: FilterFieldProps) {
  const { text, change } = useDebouncedFilter(value, onChange)
  const name = input['aria-label'] ?? (typeof input.label === 'string' ? input.label : '')
  return (
    <TextInput
      {...input}
      type={type}
      value={text}
      onChange={({ currentTarget }) => change(currentTarget.value)}
      rightSection={text && type === 'text' && <CloseButton size="sm" aria-label={`Clear ${name}`} onClick={() => change('')} />}
    />
  )
}
