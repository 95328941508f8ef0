import { Button, Group, MultiSelect, Select, Stack, TagsInput, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useTranslation } from 'react-i18next'
import { ruleVerdictLabel } from '../../ui/verdict.tsx'
import { toCel } from './condition-form.ts'
import { ConditionInput } from './condition-input.tsx'
import type { RuleFields } from './rule-fields.ts'
import { CLASSIFICATIONS, DIRECTIVES, FIELD_VALUES, RISK_LEVELS, TRANSFORMS } from './vocabulary.ts'

interface RuleFormProps {
  readonly initial: RuleFields
  /** Ids of the other rules. */
  readonly taken: readonly string[]
  readonly onDirty: (dirty: boolean) => void
  readonly onSave: (fields: RuleFields) => void
}

export function RuleForm({ initial, taken, onDirty, onSave }: RuleFormProps) {
  const { t } = useTranslation('policies')
  const form = useForm<RuleFields>({
    initialValues: initial,
    onValuesChange: () => onDirty(true),
    validate: {
      id: (id) => (!/^[A-Za-z0-9][\w.:-]{0,99}$/.test(id) ? t('form.idInvalid') : taken.includes(id) ? t('form.idTaken') : null),
      at: (at) => (at.length === 0 ? t('form.pointMissing') : null),
      clauses: (clauses) =>
        clauses.some(({ operator, values }) => !['yes', 'no'].includes(operator) && values.every((value) => value === ''))
          ? t('form.valueMissing')
          : null,
      hold_expires_in: (time, { verdict }) =>
        verdict === 'require_approval' && time !== '' && !/^[1-9]\d*[smhd]$/.test(time) ? t('form.timeInvalid') : null,
    },
  })
  const { verdict, match, clauses } = form.values
  const optional = (words: readonly string[]) => [
    { value: '', label: t('form.unchanged') },
    ...words.map((word) => ({ value: word, label: word })),
  ]
  const list = (name: 'at' | 'transforms' | 'directives') => {
    const { value, ...input } = form.getInputProps(name)
    return { ...input, value: [...(value as readonly string[])] }
  }
  return (
    <form onSubmit={form.onSubmit(onSave)} noValidate>
      <Stack>
        <TextInput label={t('form.id')} placeholder={t('form.idExample')} required {...form.getInputProps('id')} />
        <TextInput label={t('form.description')} {...form.getInputProps('description')} />
        <MultiSelect label={t('form.points')} required data={[...(FIELD_VALUES.at ?? [])]} {...list('at')} />
        <ConditionInput
          value={{ match, clauses }}
          error={form.errors.clauses}
          onChange={(condition) => form.setValues({ ...condition })}
        />
        <TextInput label={t('form.condition')} value={toCel({ match, clauses })} readOnly variant="filled" />
        <Group grow align="flex-start">
          <Select
            label={t('form.verdict')}
            allowDeselect={false}
            data={(FIELD_VALUES.verdict ?? []).map((value) => ({ value, label: ruleVerdictLabel({ verdict: value }) }))}
            {...form.getInputProps('verdict')}
          />
          {verdict === 'require_approval' && (
            <TextInput label={t('form.expires')} placeholder={t('form.timeExample')} {...form.getInputProps('hold_expires_in')} />
          )}
        </Group>
        <Group grow>
          <Select label={t('form.risk')} allowDeselect={false} data={optional(RISK_LEVELS)} {...form.getInputProps('risk')} />
          <Select
            label={t('form.classification')}
            allowDeselect={false}
            data={optional(CLASSIFICATIONS)}
            {...form.getInputProps('classification')}
          />
        </Group>
        <TagsInput label={t('form.transforms')} data={TRANSFORMS} {...list('transforms')} />
        <TagsInput
          label={t('form.directives')}
          description={t('form.directivesHint')}
          data={DIRECTIVES}
          {...list('directives')}
        />
        <Group justify="flex-end">
          <Button type="submit">{t('form.save')}</Button>
        </Group>
      </Stack>
    </form>
  )
}
