import { Autocomplete, CloseButton, Text, TextInput, type TextInputProps } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Suggestion } from './filter.ts'
import { useDebouncedFilter } from './use-debounced-filter.ts'

interface FilterFieldProps extends Pick<TextInputProps, 'label' | 'placeholder' | 'aria-label' | 'w' | 'error'> {
  readonly type?: 'text' | 'datetime-local'
  readonly 'data-autofocus'?: boolean
  /** Value in the URL. */
  readonly value: string
  readonly onChange: (value: string | undefined) => void
  readonly suggestions?: readonly Suggestion[] | undefined
  readonly onSearch?: ((text: string) => void) | undefined
}

export function FilterField({ value, onChange, type = 'text', suggestions, onSearch, ...input }: FilterFieldProps) {
  const { t } = useTranslation('ui')
  const { text, change } = useDebouncedFilter(value, onChange)
  const name = input['aria-label'] ?? (typeof input.label === 'string' ? input.label : '')
  const edit = (typed: string) => {
    change(typed)
    onSearch?.(typed)
  }
  const clear = text && type === 'text' && (
    <CloseButton size="sm" aria-label={t('filters.clearOne', { name })} onClick={() => edit('')} />
  )
  if (suggestions) {
    const descriptions = new Map(suggestions.map((one) => [one.value, one.description]))
    return (
      <Autocomplete
        {...input}
        data={[...descriptions.keys()]}
        // The server has searched.
        filter={({ options }) => options}
        renderOption={({ option }) => <Option value={option.value} description={descriptions.get(option.value)} />}
        value={text}
        onChange={edit}
        rightSection={clear}
      />
    )
  }
  return (
    <TextInput
      {...input}
      type={type}
      value={text}
      onChange={({ currentTarget }) => edit(currentTarget.value)}
      rightSection={clear}
    />
  )
}

const Option = ({ value, description }: { readonly value: string; readonly description: string | undefined }) => (
  <div>
    <Text size="sm">{value}</Text>
    {description && (
      <Text size="xs" c="dimmed">
        {description}
      </Text>
    )}
  </div>
)
