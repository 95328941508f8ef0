/** Attributes with one value at a time: the last word before “is”. Their values have a number or a name: “the team is tired” says another thing. */
export const ATTRIBUTES =
  /^(?:name|nickname|username|age|birthday|birthdate|birthplace|address|email|phone|website|url|location|city|town|country|hometown|employer|company|department|team|role|position|title|job|profession|occupation|salary|size|height|weight|deadline|date|time|budget|price|cost|fee|limit|quota|progress|version|framework|editor|browser|schedule|capital|room|floor|desk|port|hostname|region)$/
/** Attributes whose value may be any word. */
export const DESCRIBED_BY_A_WORD =
  /^(?:pronouns|timezone|zone|language|currency|locale|diet|priority|severity|status|state|stage|phase|colour|theme|format|style|tone|units|frequency|cadence)$/
/** Roles whose value must be a name: “my manager is Bob”, not “my manager is ill”. */
export const ROLES =
  /^(?:manager|boss|supervisor|lead|leader|head|owner|assistant|mentor|sponsor|doctor|dentist|accountant|partner|wife|husband|spouse|mother|father|ceo|cto|cfo|ciso|cio)$/
const NAME = /^\p{Lu}[\p{L}'.-]*(?:\s+(?:van|von|de|der|di|da|del|la|bin|al|\p{Lu}[\p{L}'.-]*)){0,4}$/u

/** Values that state nothing definite. */
const NO_VALUE =
  /^(?:not|no|none|neither|nothing|never|n't|unknown|unclear|undecided|open|why|because|what|how|that|to be|still)\b/i
/** Words that make a value one of several: a second statement may also be true. */
const ONE_OF_SEVERAL =
  /\b(?:and|or|also|too|both|either|as well|another|but|except|only|unless|if|when|while|sometimes|usually|often|mostly|partly|rarely|maybe|perhaps|probably|possibly|likely|hardly|not|never|because|which|who)\b|\(|,(?!\p{N})|\s[-–—/]\s/iu
/** Words after the first that restrict a value to a time, place or case. */
const RESTRICTION =
  /\s(?:for|on|in|at|from|to|with|without|during|until|till|since|per|by|via|of|as|than|before|after|under|over|between|within|every|each|this|next|last|today|tomorrow)\b/i

/** Whether a value is the only one: without a condition, restriction or second value. */
export const isPlain = (value: string): boolean =>
  !NO_VALUE.test(value) && !ONE_OF_SEVERAL.test(value) && !RESTRICTION.test(value)

/** Whether a value has a number or a name. */
export const isDefinite = (value: string): boolean => /\p{N}|\p{Lu}/u.test(value)

export const isName = (value: string): boolean => NAME.test(value)
