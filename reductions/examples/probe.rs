//! probe
use cfd_reductions::data::*; use cfd_reductions::matching::Candidate; use cfd_reductions::placement::Map; use cfd_reductions::study::bits; use cfd_reductions::tree::Tree;
fn main(){
  let cols=[(Tree::Linear,Map::Block,1),(Tree::NodeAwareAllReduce,Map::Block,8),(Tree::Ring{chunk:None},Map::Block,1),(Tree::NodeAwareAllReduce,Map::Block,6),(Tree::NodeAwareAllReduce,Map::Cyclic,8),(Tree::NodeAwareAllReduce,Map::Random(1),8),(Tree::NodeAwareReduce,Map::Block,2),(Tree::NodeAwareReduce,Map::Block,4),(Tree::NodeAwareReduce,Map::Block,8)];
  let a=[(94.,94.),(0.,41.),(92.,90.),(50.,44.),(43.,38.),(47.,36.),(45.,-1.),(46.,-1.),(51.,-1.)];
  let b=[(68.,67.),(0.,30.),(70.,67.),(35.,32.),(33.,31.),(39.,30.),(36.,-1.),(40.,-1.),(44.,-1.)];
  let c=[(80.,78.),(0.,58.),(78.,76.),(55.,58.),(61.,53.),(60.,57.),(38.,-1.),(46.,-1.),(46.,-1.)];
  for seed in 0..3000u64 {
    let cols=cols.map(|(t,m,k)|Candidate::new(t,if let Map::Random(_)=m{Map::Random(seed)}else{m},k));
    let worst=|p,kind,n,want:&[(f64,f64);9],cols:&[Candidate]|{let mut worst=0.0f64;
    for (b,(x,y)) in bits(&Source::Synthetic(kind,seed),p,n,cols).iter().zip(want){
      worst=worst.max((b.percent(b.differ_from_binomial)-x).abs()); if *y>=0. {worst=worst.max((b.percent(b.differ_from_exact)-y).abs());}
    } worst};
    if worst(1024,Synthetic::Positive,100,&a,&cols)<=15. { println!("{seed} {} {}", worst(64,Synthetic::Positive,400,&b,&cols), worst(64,Synthetic::Signed,400,&c,&cols)); }
  }
}
