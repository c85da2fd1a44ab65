/** Seconds since 1970, and the days and times of the Gregorian calendar, as `2026-08-20T12:34:56`. */

const DAY: i64 = 86_400
/** The calendar begins anew every 400 years. */
const ERA_YEARS: i64 = 400
const ERA_DAYS: i64 = 146_097
/** Days from the first of March of year 0, with which years are taken to begin here. */
const DAYS_TO_1970: i64 = 719_468

/** Of what stands at `at`; of what is no time, anything. */
export function secondsAt(at: usize): i64 {
  const minutes = twoDigits(at + 11) * 60 + twoDigits(at + 14)
  return daysAt(at) * DAY + minutes * 60 + twoDigits(at + 17)
}

/** `seconds` is not before 1970, nor behind 9999. */
export function writeSecond(seconds: i64, to: usize): void {
  const ofDay = seconds % DAY
  writeDay(seconds / DAY, to)
  store<u8>(to + 10, 0x54)
  writeTwo(ofDay / 3_600, to + 11)
  store<u8>(to + 13, 0x3a)
  writeTwo((ofDay / 60) % 60, to + 14)
  store<u8>(to + 16, 0x3a)
  writeTwo(ofDay % 60, to + 17)
}

function daysAt(at: usize): i64 {
  const month = twoDigits(at + 5)
  const isOld = month < 3
  const year = twoDigits(at) * 100 + twoDigits(at + 2) - (isOld ? 1 : 0)
  const ofEra = year % ERA_YEARS
  const sinceMarch = isOld ? month + 9 : month - 3
  const leapDays = ofEra / 4 - ofEra / 100
  const days = ofEra * 365 + leapDays + daysBefore(sinceMarch) + twoDigits(at + 8) - 1
  return (year / ERA_YEARS) * ERA_DAYS + days - DAYS_TO_1970
}

function writeDay(days: i64, to: usize): void {
  const since = days + DAYS_TO_1970
  const ofEra = since % ERA_DAYS
  // Without its leap days, of every fourth year but not of every hundredth, and one more at the end.
  const year = (ofEra - ofEra / 1_460 + ofEra / 36_524 - ofEra / (ERA_DAYS - 1)) / 365
  const ofYear = ofEra - (365 * year + year / 4 - year / 100)
  const sinceMarch = (5 * ofYear + 2) / 153
  const isOld = sinceMarch > 9
  const written = (since / ERA_DAYS) * ERA_YEARS + year + (isOld ? 1 : 0)
  writeTwo(written / 100, to)
  writeTwo(written % 100, to + 2)
  store<u8>(to + 4, 0x2d)
  writeTwo(isOld ? sinceMarch - 9 : sinceMarch + 3, to + 5)
  store<u8>(to + 7, 0x2d)
  writeTwo(ofYear - daysBefore(sinceMarch) + 1, to + 8)
}

/** In so many months from March on: five of them have 153. */
function daysBefore(months: i64): i64 {
  return (153 * months + 2) / 5
}

export function twoDigits(at: usize): i64 {
  return (<i64>load<u8>(at) - 0x30) * 10 + load<u8>(at, 1) - 0x30
}

function writeTwo(number: i64, to: usize): void {
  store<u8>(to, <u8>(0x30 + number / 10))
  store<u8>(to + 1, <u8>(0x30 + (number % 10)))
}
