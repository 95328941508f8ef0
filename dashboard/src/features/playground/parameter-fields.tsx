import { Collapse, NumberInput, SimpleGrid, Stack, Switch, TagsInput, Textarea, UnstyledButton } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { NO_PARAMETERS, type Parameters } from './parameters.ts'
import { ToolsField } from './tools-field.tsx'

interface ParameterFieldsProps {
  readonly parameters: Parameters
  readonly onChange: (changes: Partial<Parameters>) => void
}

/** System prompt, sampling parameters and tools. */
export function ParameterFields({ parameters, onChange }: ParameterFieldsProps) {
  const { t } = useTranslation('playground')
  const isChanged =
    JSON.stringify({ ...NO_PARAMETERS, ...parameters }) !== JSON.stringify({ ...NO_PARAMETERS, system: parameters.system })
  const [opened, { toggle }] = useDisclosure(isChanged)
  const { system, stop, json, tools } = parameters
  return (
    <>
      <Textarea
        label={t('parameters.system')}
        autosize
        minRows={2}
        maxRows={8}
        value={system}
        onChange={({ currentTarget }) => onChange({ system: currentTarget.value })}
      />
      <UnstyledButton onClick={toggle} aria-expanded={opened} fz="sm" fw={600}>
        {opened ? <IconChevronDown size={14} aria-hidden /> : <IconChevronRight size={14} aria-hidden />} {t('parameters.title')}
      </UnstyledButton>
      <Collapse expanded={opened}>
        <Stack gap="sm">
          <SamplingFields parameters={parameters} onChange={onChange} />
          <NumberOption
            label={t('parameters.wait')}
            description={t('parameters.waitHint')}
            min={1}
            max={120}
            value={parameters.waitSeconds}
            onChange={(waitSeconds) => onChange({ waitSeconds })}
          />
          <TagsInput
            label={t('parameters.stop')}
            description={t('parameters.stopHint')}
            maxTags={16}
            acceptValueOnBlur
            value={[...stop]}
            onChange={(texts) => onChange({ stop: texts })}
          />
          <Switch
            label={t('parameters.json')}
            checked={json}
            onChange={({ currentTarget }) => onChange({ json: currentTarget.checked })}
          />
          <ToolsField value={tools} onChange={(text) => onChange({ tools: text })} />
        </Stack>
      </Collapse>
    </>
  )
}

function SamplingFields({ parameters: { temperature, topP, maxTokens, seed }, onChange }: ParameterFieldsProps) {
  const { t } = useTranslation('playground')
  return (
    <SimpleGrid cols={2} spacing="sm">
      <NumberOption
        label={t('parameters.temperature')}
        max={2}
        step={0.1}
        decimals={2}
        value={temperature}
        onChange={(entered) => onChange({ temperature: entered })}
      />
      <NumberOption
        label={t('parameters.topP')}
        max={1}
        step={0.05}
        decimals={2}
        value={topP}
        onChange={(entered) => onChange({ topP: entered })}
      />
      <NumberOption
        label={t('parameters.maxTokens')}
        min={1}
        max={10_000_000}
        value={maxTokens}
        onChange={(entered) => onChange({ maxTokens: entered })}
      />
      <NumberOption label={t('parameters.seed')} max={2 ** 31} value={seed} onChange={(entered) => onChange({ seed: entered })} />
    </SimpleGrid>
  )
}

interface NumberOptionProps {
  readonly label: string
  readonly description?: string
  readonly min?: number
  readonly max: number
  readonly step?: number
  /** Digits after the decimal point. */
  readonly decimals?: number
  readonly value: number | undefined
  readonly onChange: (value: number | undefined) => void
}

/** A number; empty: the model's default. */
function NumberOption({ label, description, min = 0, max, step = 1, decimals = 0, value, onChange }: NumberOptionProps) {
  const { t } = useTranslation('playground')
  return (
    <NumberInput
      label={label}
      description={description}
      placeholder={t('parameters.default')}
      min={min}
      max={max}
      step={step}
      decimalScale={decimals}
      value={value ?? ''}
      onChange={(entered) => onChange(typeof entered === 'number' ? entered : undefined)}
    />
  )
}
