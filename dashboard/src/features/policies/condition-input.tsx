import { ActionIcon, Button, Group, Input, SegmentedControl, Select, Stack, TagsInput, TextInput } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { CLAUSE_FIELD_NAMES, type Clause, type ClauseField, type ConditionForm, kindOf, type Operator } from './condition-form.ts'

interface ConditionInputProps {
  readonly value: ConditionForm
  readonly error: ReactNode
  readonly onChange: (value: ConditionForm) => void
}

/** Comparisons that all or any must be true. */
export function ConditionInput({ value, error, onChange }: ConditionInputProps) {
  const { t } = useTranslation('policies')
  const { match, clauses } = value
  const put = (index: number, clause: Clause) => onChange({ match, clauses: clauses.with(index, clause) })
  return (
    <Input.Wrapper
      label={t('form.when')}
      description={clauses.length === 0 ? t('form.always') : undefined}
      error={error}
      labelElement="div"
    >
      <Stack gap="xs" my={4}>
        {clauses.length > 1 && (
          <SegmentedControl
            size="xs"
            aria-label={t('form.match')}
            data={[
              { value: 'all', label: t('form.all') },
              { value: 'any', label: t('form.any') },
            ]}
            value={match}
            onChange={(next) => onChange({ match: next === 'any' ? 'any' : 'all', clauses })}
          />
        )}
        {clauses.map((clause, index) => (
          <ClauseInput
            // biome-ignore lint/suspicious/noArrayIndexKey: comparisons have no identity, and their inputs no state of their own
            key={index}
            clause={clause}
            onChange={(next) => put(index, next)}
            onRemove={() => onChange({ match, clauses: clauses.toSpliced(index, 1) })}
          />
        ))}
        <Group>
          <Button size="xs" variant="default" onClick={() => onChange({ match, clauses: [...clauses, withField('user.role')] })}>
            {t('form.addClause')}
          </Button>
        </Group>
      </Stack>
    </Input.Wrapper>
  )
}

function withField(field: ClauseField): Clause {
  const { operators, words } = kindOf(field)
  return { field, operator: operators[0] ?? 'is', values: words?.slice(0, 1) ?? [] }
}

interface ClauseInputProps {
  readonly clause: Clause
  readonly onChange: (clause: Clause) => void
  readonly onRemove: () => void
}

function ClauseInput({ clause, onChange, onRemove }: ClauseInputProps) {
  const { t } = useTranslation('policies')
  const { field, operator } = clause
  return (
    <Group gap="xs" align="flex-start">
      <Select
        aria-label={t('form.field')}
        flex="2 1 150px"
        allowDeselect={false}
        data={CLAUSE_FIELD_NAMES.map((value) => ({
          value,
          label: t(`form.fields.${value.replaceAll('.', '_') as 'user_role'}`),
        }))}
        value={field}
        onChange={(next) => onChange(withField(CLAUSE_FIELD_NAMES.find((one) => one === next) ?? field))}
      />
      <Select
        aria-label={t('form.operator')}
        flex="1 1 120px"
        allowDeselect={false}
        data={kindOf(field).operators.map((value) => ({ value, label: t(`form.operators.${value}`) }))}
        value={operator}
        onChange={(next) => onChange({ ...clause, operator: (next ?? operator) as Operator })}
      />
      <ValueInput clause={clause} onChange={onChange} />
      <ActionIcon variant="subtle" size="lg" aria-label={t('form.removeClause')} onClick={onRemove}>
        <IconTrash size={16} />
      </ActionIcon>
    </Group>
  )
}

function ValueInput({ clause, onChange }: Omit<ClauseInputProps, 'onRemove'>) {
  const { t } = useTranslation('policies')
  const { field, operator, values } = clause
  const { words } = kindOf(field)
  const input = { 'aria-label': t('form.value'), flex: '2 1 150px' } as const
  if (operator === 'yes' || operator === 'no') return null
  if (words) {
    return (
      <Select
        {...input}
        searchable
        allowDeselect={false}
        data={[...words]}
        value={values[0] ?? null}
        onChange={(value) => onChange({ ...clause, values: value === null ? [] : [value] })}
      />
    )
  }
  if (operator === 'is' || operator === 'isNot') {
    return (
      <TagsInput {...input} value={[...values]} acceptValueOnBlur onChange={(next) => onChange({ ...clause, values: next })} />
    )
  }
  const isCount = operator === 'above'
  return (
    <TextInput
      {...input}
      inputMode={isCount ? 'numeric' : 'text'}
      value={values[0] ?? ''}
      onChange={({ currentTarget: { value } }) =>
        onChange({ ...clause, values: [isCount ? value.replaceAll(/\D/g, '') : value] })
      }
    />
  )
}
