#pragma once
/// Attributes that are plain values of the model, in the order of files: the reader and the writer follow the
/// same lists. Each calls `each(name, value)`. Internal: only engine/scenario/*.cpp include it.

namespace grashof::xml {

/// Of StepOptions, but for those that are always written.
void stepFields(auto& o, auto each) {
  each("projection", o.projection);
  each("projection-tolerance", o.projectionTolerance);
  each("restitution-threshold", o.restitutionThreshold);
  each("contact-margin", o.contactMargin);
  each("geometric-stiffness", o.geometricStiffness);
  each("limit-margin", o.limitMargin);
  each("divergence-speed", o.divergenceSpeed);
  each("divergence-residual", o.divergenceResidual);
  each("divergence-energy", o.divergenceEnergy);
}

/// Of SolverOptions, but for the name.
void solverFields(auto& o, auto each) {
  each("tolerance", o.tolerance);
  each("tolerance-kind", o.toleranceKind);
  each("max-iterations", o.maxIterations);
  each("proximal", o.proximal);
  each("joint-proximal", o.jointProximal);
  each("penalty", o.penalty);
  each("penalty-factor", o.penaltyFactor);
  each("penalty-exponent", o.penaltyExponent);
  each("penalty-step", o.penaltyStep);
  each("penalty-threshold", o.penaltyThreshold);
  each("acceleration", o.acceleration);
  each("relaxation", o.relaxation);
  each("relaxation-decay", o.relaxationDecay);
  each("relaxation-min", o.relaxationMin);
  each("de-saxce", o.deSaxce);
  each("facets", o.facets);
  each("stiction-regularization", o.regularization.stiction);
  each("impact-regularization", o.regularization.impacts);
  each("near-rigid", o.regularization.nearRigid);
  each("warm-start", o.warmStart);
}

void stabilizationFields(auto& s, auto each) {
  each("alpha", s.alpha);
  each("decay-rate", s.decayRate);
  each("beta", s.beta);
  each("gamma", s.gamma);
  each("margin", s.margin);
  each("max-recovery-speed", s.maxRecoverySpeed);
}

/// Of SurfacePair: friction besides Coulomb's.
void frictionFields(auto& s, auto each) {
  each("rolling-friction", s.rollingFriction);
  each("torsional-friction", s.torsionalFriction);
  each("static-ratio", s.staticRatio);
  each("stribeck-speed", s.stribeckSpeed);
}

/// Of ContactLaw.
void lawFields(auto& law, auto each) {
  each("stiffness", law.stiffness);
  each("exponent", law.exponent);
  each("young-modulus", law.youngModulus);
  each("poisson-ratio", law.poissonRatio);
  each("edge-radius", law.edgeRadius);
  each("hydroelastic-modulus", law.hydroelasticModulus);
  each("hunt-crossley", law.huntCrossley);
  each("relaxation-time", law.relaxationTime);
  each("tangential-stiffness", law.tangentialStiffness);
  each("stiction-speed", law.stictionSpeed);
}

void motorFields(auto& m, auto each) {
  each("gear-ratio", m.gearRatio);
  each("efficiency", m.efficiency);
  each("back-efficiency", m.backEfficiency);
  each("rotor-inertia", m.rotorInertia);
  each("stall-torque", m.stallTorque);
  each("no-load-speed", m.noLoadSpeed);
  each("torque-limit", m.torqueLimit);
  each("speed-limit", m.speedLimit);
  each("rms-torque", m.rmsTorque);
  each("torque-constant", m.torqueConstant);
  each("resistance", m.resistance);
  each("voltage", m.voltage);
}

/// Of PassiveDynamics.
void dynamicsFields(auto& p, auto each) {
  each("stiffness", p.stiffness);
  each("rest", p.rest);
  each("damping", p.damping);
  each("armature", p.armature);
  each("friction", p.dryFriction);
  each("friction-coefficient", p.bearing.coefficient);
  each("journal-radius", p.bearing.radius);
  each("thrust-radius", p.bearing.thrustRadius);
  each("bearing-length", p.bearing.length);
  each("static-ratio", p.staticRatio);
  each("stribeck-speed", p.stribeckSpeed);
}

/// Of Clearance, but for the play itself.
void clearanceFields(auto& c, auto each) {
  each("journal-radius", c.journalRadius);
  each("friction", c.friction);
  each("restitution", c.restitution);
}

/// Of OutputOptions, but for the interval.
void outputFields(auto& o, auto each) {
  each("trajectory", o.trajectory);
  each("csv", o.csv);
  each("contacts", o.contacts);
}

}  // namespace grashof::xml
