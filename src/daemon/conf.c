/* SPDX-License-Identifier: ISC */
