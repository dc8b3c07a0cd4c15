import type { RideMode } from '../model/journey.ts';

/** Factors by which emissions are estimated where a carrier has none. */
export interface EmissionFactors {
  /** Publisher and title. */
  readonly source: string;
  readonly year: number;
  /** Grams of CO2 equivalent for each passenger and kilometre. A vehicle of another kind has no factor, and so no estimate. */
  readonly gramsPerKm: Readonly<Record<'train' | Exclude<RideMode, 'other'>, number>>;
  /** Length of a way as a multiple of the great circle between its ends. */
  readonly detour: number;
}

/** National rail, light rail and tram, London Underground, average local bus, foot passenger of a ferry. */
export const EMISSION_FACTORS: EmissionFactors = {
  source:
    'UK Department for Energy Security and Net Zero: Greenhouse gas reporting: conversion factors',
  year: 2025,
  gramsPerKm: { train: 35.46, tram: 28.6, metro: 27.8, bus: 103.85, ferry: 18.71 },
  detour: 1.2,
};
